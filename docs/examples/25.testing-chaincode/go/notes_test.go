package notes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var shared *server

func TestMain(m *testing.M) {
	var err error
	shared, err = startServer("--chaincode", "notes=../chaincode", "--caller", "ana:role=auditor")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	shared.stop()
	os.Exit(code)
}

func TestNoteIsStored(t *testing.T) {
	ledger := shared.open(t)
	ledger.call("submit", "Put", "a", map[string]any{"price": 1.5, "text": "hello"})
	if payload, _ := ledger.call("evaluate", "Get", "a"); payload != `{"price":1.5,"text":"hello"}` {
		t.Fatal(payload)
	}
}

func TestEachTestBeginsWithAnEmptyLedger(t *testing.T) {
	_, refusal := shared.open(t).call("evaluate", "Get", "a")
	if !strings.Contains(refusal, "there is no note a") {
		t.Fatal(refusal)
	}
}

func TestOnlyAuditorsDeleteNotes(t *testing.T) {
	ledger := shared.open(t)
	ledger.call("submit", "Put", "a", "hello")
	if _, refusal := ledger.call("submit", "Delete", "a"); !strings.Contains(refusal, "only auditors") {
		t.Fatal(refusal)
	}
	if _, refusal := ledger.as(shared.keys["ana"]).call("submit", "Delete", "a"); refusal != "" {
		t.Fatal(refusal)
	}
}
