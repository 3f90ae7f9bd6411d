import pytest

from ledger import Refused, Server


@pytest.fixture(scope="session")
def server():
    server = Server("--chaincode", "notes=../chaincode", "--caller", "ana:role=auditor")
    yield server
    server.close()


@pytest.fixture
def ledger(server):
    ledger = server.open()
    yield ledger
    ledger.close()


def test_a_note_is_stored(ledger):
    assert ledger.submit("notes", "Put", "a", {"text": "hello", "price": 1.5})["blockNumber"] == 1
    assert ledger.evaluate("notes", "Get", "a") == {"text": "hello", "price": 1.5}


def test_each_test_begins_with_an_empty_ledger(ledger):
    with pytest.raises(Refused, match="there is no note a") as refused:
        ledger.evaluate("notes", "Get", "a")
    assert refused.value.code == "API.CHAINCODE_REFUSED"


def test_only_auditors_delete_notes(ledger):
    ledger.submit("notes", "Put", "a", "hello")
    with pytest.raises(Refused, match="only auditors delete notes"):
        ledger.submit("notes", "Delete", "a")
    ledger.submit("notes", "Delete", "a", caller="ana")
