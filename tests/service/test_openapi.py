"""proto/openapi.yaml: valid, served as it stands, and true of the daemon."""

import json
import re

import jsonschema
import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

from harness.daemon import SOURCE

FILE = SOURCE / "proto" / "openapi.yaml"
DOCUMENT = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def conforms(value, name):
    schema = {
        "$ref": f"#/components/schemas/{name}",
        "components": DOCUMENT["components"],
    }
    jsonschema.Draft202012Validator(schema).validate(value)


def operations():
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def examples():
    for path, method, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        for name, example in content.get("application/json", {}).get("examples", {}).items():
            if method == "post":
                yield pytest.param(path, example["value"], id=f"{path}:{name}")


def follow(node):
    while "$ref" in node:
        found = DOCUMENT
        for key in node["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        node = found
    return node


def test_document_is_valid_openapi_31():
    assert DOCUMENT["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_every_component_is_used():
    text = FILE.read_text(encoding="utf-8")
    for kind, entries in DOCUMENT["components"].items():
        for name in entries:
            assert f"'#/components/{kind}/{name}'" in text, f"{kind}/{name}"


def test_version_is_the_package_version():
    text = (SOURCE / "configure.ac").read_text()
    version = re.search(r"AC_INIT\(\[foldd\], \[([^]]+)\]", text).group(1)
    assert DOCUMENT["info"]["version"] == version


def test_codes_are_those_of_the_sources():
    header = (SOURCE / "engine" / "status.h").read_text()
    codes = re.findall(r"X\([A-Z0-9_]+, \"(\w+)\"", header)
    assert DOCUMENT["components"]["schemas"]["Code"]["enum"] == codes


def test_examples_fit_their_schemas():
    for path, method, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        for media in content.values():
            for example in media.get("examples", {}).values():
                schema = {**media["schema"], "components": DOCUMENT["components"]}
                jsonschema.Draft202012Validator(schema).validate(example["value"])


@pytest.mark.parametrize(("path", "job"), list(examples()))
def test_examples_work(client, path, job):
    answer = client.job(path, job)
    assert answer.status == 200, answer
    conforms(answer.json(), "BatchResult" if path == "/v1/batch" else "Result")
    if path == "/v1/batch":
        assert all("results" in entry for entry in answer.json()["results"])


def test_served_as_it_stands(client):
    answer = client.get("/openapi.yaml")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/yaml"
    assert answer.body == FILE.read_bytes()


def test_methods_are_those_allowed(client):
    for path, item in DOCUMENT["paths"].items():
        answer = client.request("OPTIONS", path.replace("{name}", "x"))
        assert answer.status == 204
        allowed = {method.strip().lower() for method in answer.headers["allow"].split(",")}
        assert allowed == set(item), path


def test_service_answers_conform(client):
    for path, name in (("/healthz", "Health"), ("/readyz", "Health"), ("/v1/info", "Info")):
        answer = client.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        conforms(answer.json(), name)


def test_info_tells_what_the_document_tells(client):
    info = client.get("/v1/info").json()
    schemas = DOCUMENT["components"]["schemas"]
    assert [dtype["name"] for dtype in info["dtypes"]] == schemas["Dtype"]["enum"]
    pattern = re.compile(schemas["Operation"]["pattern"])
    for operation in info["operations"]:
        assert pattern.search(operation["name"].replace(":P", ":1.5"))
    scans = {operation["name"] for operation in info["operations"] if operation["scan"]}
    assert scans == set(schemas["ScanOperation"]["enum"])
    assert set(info["limits"]) == set(schemas["Info"]["properties"]["limits"]["required"])


def test_what_info_calls_not_implemented_is_501(client):
    later = client.get("/v1/info").json()["not_implemented"]
    for path in later["paths"]:
        assert path not in DOCUMENT["paths"]
        statuses = [client.request(method, path).status for method in ("GET", "POST")]
        assert 501 in statuses and set(statuses) <= {501, 405}, (path, statuses)
    for member in later["members"]:
        answer = client.reduce("sum", data=[1], **{member: "x"})
        assert answer.problem()["code"] == "not_implemented", member
        assert answer.problem()["pointer"] == f"/{member}"
    for form in later["formats"]:
        answer = client.reduce("sum", file="x", format=form)
        assert answer.problem()["code"] == "not_implemented", form


def test_arrays_conform(client):
    (example,) = DOCUMENT["paths"]["/v1/arrays/{name}"]["put"]["requestBody"]["content"][
        "application/json"
    ]["examples"].values()
    body = json.dumps(example["value"]).encode()
    for status in (201, 200):
        answer = client.request("PUT", "/v1/arrays/openapi", body)
        assert answer.status == status
        conforms(answer.json(), "Array")
    conforms(client.get("/v1/arrays").json(), "Arrays")
    conforms(client.get("/v1/arrays/openapi").json(), "Array")
    assert client.request("DELETE", "/v1/arrays/openapi").status == 204


# A job that fails, and the status that the document must have for it.
FAILURES = [
    ("/v1/reduce", {"op": "sum"}, 400),
    ("/v1/reduce", {"op": "sum", "data": [1], "opp": 1}, 400),
    ("/v1/scan", {"op": "mean", "data": [1]}, 400),
    ("/v1/reduce", {"op": "sum", "file": "/etc/passwd"}, 403),
    ("/v1/reduce", {"op": "sum", "file": "no such file.npy"}, 404),
    ("/v1/reduce", {"op": "sum", "array": "none"}, 404),
    ("/v1/reduce", {"op": "max", "data": []}, 422),
    ("/v1/reduce", {"op": "sum", "data": [2**63 - 1, 1]}, 422),
    ("/v1/reduce", {"op": "sum", "data": [1, "NaN"], "nan": "error"}, 422),
    ("/v1/reduce", {"op": "sum", "data": [1], "priority": 3}, 501),
    ("/v1/batch", {"jobs": 1}, 400),
    ("/v1/merge", {"partials": []}, 400),
    ("/v1/merge", {"partials": ["AAAA"]}, 400),
    ("/v1/reduce", {"op": "sum", "data": [1.5], "partial": True}, 400),
]


@pytest.mark.parametrize(("path", "job", "status"), FAILURES, ids=lambda value: json.dumps(value))
def test_problems_are_described(client, path, job, status):
    answer = client.job(path, job)
    assert answer.status == status, answer
    problem = answer.problem()
    conforms(problem, "Problem")
    described = follow(DOCUMENT["paths"][path]["post"]["responses"][str(status)])
    schema = described["content"]["application/problem+json"]["schema"]
    assert problem["code"] in schema["allOf"][1]["properties"]["code"]["enum"]


def test_answers_with_every_member_conform(client):
    answer = client.reduce(
        ["sum", "mean", "any", "argmax", "lp:2.5"], data=[[1.5, 2], [3, "NaN"]], axis=0, bits=True
    )
    assert answer.status == 200, answer
    conforms(answer.json(), "Result")
    answer = client.reduce("max", data=[1, 2], segments=[0, 0, 2], empty="null", bits=True)
    assert answer.status == 200, answer
    assert answer.json()["results"] == {"max": [None, 2]}
    conforms(answer.json(), "Result")


def test_partials_conform(client):
    job = {"determinism": "exact", "partial": True}
    answers = [client.reduce(["sum", "max"], data=data, **job) for data in ([1.5, 2], [], [3.5] * 40)]
    sent = {"partials": [answer.json()["partial"] for answer in answers]}
    sent.update(out_dtype={"sum": "float32"}, bits=True, partial=True)
    conforms(sent, "Merge")
    answers.append(client.job("/v1/merge", sent))
    for answer in answers:
        assert answer.status == 200, answer
        conforms(answer.json(), "Result")
    differs = client.reduce("sum", data=[1.5], **job).json()["partial"]
    answer = client.job("/v1/merge", {"partials": [differs, sent["partials"][0]]})
    described = follow(DOCUMENT["paths"]["/v1/merge"]["post"]["responses"][str(answer.status)])
    schema = described["content"]["application/problem+json"]["schema"]
    assert answer.problem()["code"] in schema["allOf"][1]["properties"]["code"]["enum"]


def test_answers_to_files_conform(client):
    answer = client.scan("sum", data=[1, 2], output={"file": "openapi.npy", "overwrite": True})
    assert answer.status == 200, answer
    conforms(answer.json(), "Result")


def test_job_header_conforms(client):
    answer = client.reduce("sum", data=[1, 2])
    scalar = client.job("/v1/reduce", {"op": "sum", "data": [1, 2]}, {"Accept": "application/zip"})
    assert scalar.status == 200
    told = json.loads(scalar.headers["foldd-job"])
    conforms(told, "Result")
    assert told["results"] == answer.json()["results"]
