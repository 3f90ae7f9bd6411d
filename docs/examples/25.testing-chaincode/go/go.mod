module example.org/notes-test

go 1.21
