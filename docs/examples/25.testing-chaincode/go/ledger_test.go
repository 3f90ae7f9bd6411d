package notes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// server is a process with ledgers for tests. It ends with this process.
type server struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	keys    map[string]string
}

// ledger begins with an empty chain.
type ledger struct {
	t   *testing.T
	URL string `json:"url"`
	// The key of the caller.
	key string
}

// startServer needs the command ledger-tool.
func startServer(options ...string) (*server, error) {
	tool := os.Getenv("LEDGER_TOOL")
	if tool == "" {
		tool = "ledger-tool"
	}
	words := append(strings.Fields(tool), "serve", "--ephemeral")
	started := &server{command: exec.Command(words[0], append(words[1:], options...)...)}
	started.command.Stderr = os.Stderr
	var err error
	if started.stdin, err = started.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := started.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started.stdout = bufio.NewReader(stdout)
	if err = started.command.Start(); err != nil {
		return nil, err
	}
	ready := struct{ Keys map[string]string }{}
	err = started.answer(&ready)
	started.keys = ready.Keys
	return started, err
}

func (s *server) answer(to any) error {
	line, err := s.stdout.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the ledger could not be started: %w", err)
	}
	return json.Unmarshal(line, to)
}

func (s *server) stop() {
	s.stdin.Close()
	s.command.Wait()
}

// open returns a ledger that is closed at the end of the test.
func (s *server) open(t *testing.T) *ledger {
	t.Helper()
	opened := struct{ URL, Channel string }{}
	fmt.Fprintln(s.stdin, "open")
	if err := s.answer(&opened); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fmt.Fprintln(s.stdin, "close", opened.Channel)
		s.answer(&struct{}{})
	})
	return &ledger{t: t, URL: opened.URL, key: s.keys["test"]}
}

func (l *ledger) as(key string) *ledger {
	return &ledger{t: l.t, URL: l.URL, key: key}
}

// call returns the payload, and the message of a refusal.
func (l *ledger) call(kind, function string, arguments ...any) (payload, refusal string) {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"function": function, "arguments": arguments})
	if err != nil {
		l.t.Fatal(err)
	}
	request, err := http.NewRequest("POST", l.URL+"/contracts/notes/"+kind, bytes.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", l.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		l.t.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct {
		Message string
		Data    struct{ Payload string }
	}{}
	if err = json.NewDecoder(response.Body).Decode(&answer); err != nil {
		l.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		return "", answer.Message
	}
	return answer.Data.Payload, ""
}
