"""Every error code of the interface, provoked over HTTP; and which of several wins."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from errors import ELSEWHERE, NOT_YET, TABLE, Context
from harness.elements import npy


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.code}-{row.name}".replace(" ", "_"))
def test_code(client, roots, row):
    response = row.ask(Context(client, roots))
    assert response.status == row.status, response
    problem = response.problem()
    assert problem["code"] == row.code, problem
    assert problem.get("pointer") == row.pointer, problem
    assert row.detail in problem["detail"], problem
    if row.status == 405:
        assert "Allow" in response.headers or "allow" in response.headers


def test_the_type_names_the_code(client):
    """`type` is one URI a code, so that programs can tell problems by it alone."""
    types = {}
    for job in ({"op": "nop", "data": []}, {"op": "sum", "data": [], "x": 1}, {"data": []}):
        problem = client.job("/v1/reduce", job).problem()
        types[problem["code"]] = problem["type"]
    assert len(types) == 3 and len(set(types.values())) == 3, types


def interface_codes(client):
    """The codes that openapi.yaml lists."""
    found = []

    def walk(node):
        if isinstance(node, dict):
            if "bad_json" in node.get("enum", ()):
                found.append(set(node["enum"]))
            node = list(node.values())
        if isinstance(node, list):
            for inner in node:
                walk(inner)

    walk(yaml.safe_load(client.get("/openapi.yaml").text()))
    assert found, "openapi.yaml lists no codes"
    return set().union(*found)


def test_table_is_complete(client):
    provoked = {row.code for row in TABLE} | set(ELSEWHERE)
    assert interface_codes(client) == provoked | set(NOT_YET)
    assert not provoked & set(NOT_YET)
    for code, file in ELSEWHERE.items():
        assert f'"{code}"' in (Path(__file__).parent / file).read_text(), (code, file)


# -- which error, when several hold ---------------------------------------------


def first(client, wanted, response):
    assert response.problem()["code"] == wanted, response


def test_path_before_method_and_body(client):
    first(client, "not_found", client.post("/v1/nothing", None, b"{", "text/plain"))


def test_method_before_media_type(client):
    response = client.request("PUT", "/v1/reduce", b"{", {"Content-Type": "text/plain"})
    first(client, "method_not_allowed", response)
    assert response.headers["allow"]


def test_media_type_before_json(client):
    first(client, "unsupported_media_type", client.post("/v1/reduce", None, b"{", "text/plain"))


def test_size_before_json(start):
    one = start("--limit", "json=1000")
    response = one.client().post("/v1/reduce", None, b"{" * 2000, "application/json")
    assert response.status == 413
    first(one, "too_large", response)


def test_json_before_members(client):
    body = b'{"op": "nop", "opp": 1, "data": [1'
    first(client, "bad_json", client.post("/v1/reduce", None, body, "application/json"))


@pytest.mark.parametrize(
    "body, code",
    [
        ('{"op": "nop", "opp": 1, "data": []}', "unknown_op"),
        ('{"opp": 1, "op": "nop", "data": []}', "unknown_member"),
        ('{"dtype": "x", "op": "nop", "data": []}', "bad_dtype"),
        ('{"op": "sum", "data": [[1], 2], "nan": "x"}', "bad_shape"),
        ('{"op": "sum", "nan": "x", "data": [[1], 2]}', "bad_value"),
        ('{"op": "sum", "priority": 1, "opp": 2, "data": []}', "not_implemented"),
    ],
)
def test_members_in_document_order(client, body, code):
    first(client, code, client.post("/v1/reduce", None, body.encode(), "application/json"))


def test_members_before_source(client):
    first(client, "bad_value", client.reduce("sum", file="no.npy", nan="x"))
    first(client, "unknown_member", client.reduce("sum", file="/outside", x=1))


def test_source_before_plan(client):
    first(client, "file_not_found", client.reduce("prod", file="no.npy", determinism="exact"))
    first(client, "path_forbidden", client.reduce("sum", file="/etc/passwd", axis=9))


def test_plan_before_data(client):
    first(client, "bad_value", client.reduce("sum", data=["NaN"], nan="error", axis=3))
    first(
        client,
        "exact_unsupported",
        client.reduce("prod", data=["NaN"], nan="error", determinism="exact"),
    )


def test_lowest_index_of_the_data(client):
    data = [1.0] * 5000
    data[4200] = data[17] = "NaN"
    problem = client.reduce("sum", data=data, nan="error").problem()
    assert problem["code"] == "nan_found" and problem["index"] == 17
    array = np.array([1.0, np.nan])
    response = client.post("/v1/reduce", "op=sum&nan=error&index_base=1000", npy(array, "float64"))
    assert response.problem()["index"] == 1001


def test_an_index_is_an_int64(client):
    """One beyond is refused, not wrapped to a negative one."""
    last = 2**63 - 1
    assert client.reduce("argmax", data=[2, 1], index_base=last).json()["results"]["argmax"] == last
    problem = client.reduce("argmax", data=[1, 2], index_base=last).problem()
    assert problem["code"] == "bad_value" and problem["pointer"] == "/index_base"
    assert str(2**63) in problem["detail"]


def test_framing_first(daemon):
    """Two lengths are refused whatever else is wrong."""
    client = daemon.client()
    client.send(
        b"POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    )
    assert client.read_response().status == 400
