"""Broken input of every kind: always a problem of the 4xx sort, never a crash,
a hang or a 500; and the daemon goes on."""

import gzip
import json
import random
import socket

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.elements import npy, npy_file, raw

GOOD = npy(np.arange(6.0).reshape(2, 3), "float64")
DATA = raw(np.arange(6.0), "float64")
ROUNDS = 12  # mutations made of each seed input by a fixed generator


def refused(response, hint=""):
    assert 400 <= response.status < 500, (response, hint)
    return response.problem()


def answered(response, hint=""):
    """Something was refused, or happened to be right."""
    if response.status != 200:
        # 501: a member of the interface that is not served yet
        assert 400 <= response.status < 500 or response.status == 501, (response, hint)
        response.problem()
    else:
        response.json()


def mutate(body, rng):
    """One to four small damages."""
    body = bytearray(body)
    for _ in range(rng.randint(1, 4)):
        if not body:
            break
        place = rng.randrange(len(body))
        kind = rng.randrange(5)
        if kind == 0:
            body[place] = rng.randrange(256)
        elif kind == 1:
            del body[place : place + rng.randint(1, 8)]
        elif kind == 2:
            body[place:place] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
        elif kind == 3:
            body[place:place] = body[place : place + rng.randint(1, 32)]
        else:
            body[place] ^= 1 << rng.randrange(8)
    return bytes(body)


# -- .npy -----------------------------------------------------------------------------------


def header(descr="'<f8'", order="False", shape="(2, 3)", more=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {more}}}"


BAD_HEADERS = [
    "",
    "{",
    "}",
    "{}",
    "[]",
    "None",
    "{'descr': '<f8'}",
    "{'descr': '<f8', 'fortran_order': False}",
    "{'descr': '<f8', 'shape': (2, 3)}",
    "{'fortran_order': False, 'shape': (2, 3)}",
    header() + "x",
    header() + header(),
    header()[:-1],
    header(more="'descr': '<f8', "),
    header(more="'extra': None, "),
    header(order="false"),
    header(order="0"),
    header(order="'False'"),
    header(order="FalseTrue"),
    header(order=""),
    header(shape="2, 3"),
    header(shape="[2, 3]"),
    header(shape="(2 3)"),
    header(shape="(2, 3"),
    header(shape="(2,, 3)"),
    header(shape="(, 2)"),
    header(shape="(-2, -3)"),
    header(shape="(2, -3)"),
    header(shape="(2.0, 3)"),
    header(shape="(2e0, 3)"),
    header(shape="(0x2, 3)"),
    header(shape="('2', 3)"),
    header(shape="(None, 3)"),
    header(shape="(2, 3, 1, 1" + ", 1" * 40 + ")"),
    header(shape="(18446744073709551616,)"),
    header(shape="(18446744073709551615,)"),
    header(shape="(9223372036854775807,)"),
    header(shape="(4294967296, 4294967296)"),
    header(shape="(4611686018427387904, 4)"),
    header(shape="(0, 18446744073709551616)"),
    header(shape="(" + "9" * 1000 + ",)"),
    header(shape="((2, 3),)"),
    header(shape="(2, 3) + (1,)"),
    header(shape="__import__('os')"),
    header(descr="<f8"),
    header(descr="''"),
    header(descr="'f'"),
    header(descr="'<f'"),
    header(descr="'<f9'"),
    header(descr="'<f88'"),
    header(descr="'<f-8'"),
    header(descr="'8f<'"),
    header(descr="'<f8"),
    header(descr="None"),
    header(descr="'<f8\\x00'"),
    header(descr="'!f8'"),
    header(descr="'" + "<" * 5000 + "f8'"),
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), \x00}",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), \xff}",
    "{'descr': '<f8', # comment\n'fortran_order': False, 'shape': (2, 3)}",
    "{'d' 'escr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
    "{descr: '<f8', fortran_order: False, shape: (2, 3)}",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)" + "," * 100 + "}",
    "{" * 5000,
    "(" * 5000,
    " " * 60000,
    "'" * 3000,
]
BAD_DESCRS = "<c8 <c16 >c16 <f16 <f12 <M8[ns] <m8[s] |S8 <U4 |O |V8 |V1 <V2 |b2 <b1x <i3 <i16 <u0 <t4 |a5".split()


@pytest.mark.parametrize("number", range(len(BAD_HEADERS)))
def test_npy_headers(client, number):
    body = npy_file(BAD_HEADERS[number].encode("latin-1"), DATA)
    problem = refused(client.post("/v1/reduce", "op=sum", body), BAD_HEADERS[number])
    assert problem["code"] in ("bad_npy", "bad_dtype", "bad_shape", "too_large"), problem


@pytest.mark.parametrize("descr", BAD_DESCRS)
def test_npy_types(client, descr):
    body = npy_file(header(descr=f"'{descr}'"), DATA * 4)
    problem = refused(client.post("/v1/reduce", "op=sum", body))
    assert problem["code"] in ("bad_dtype", "bad_npy"), problem
    if problem["code"] == "bad_dtype":
        assert descr in problem["detail"], problem


def test_npy_prefixes(client):
    for body in (
        b"\x93NUMPY",
        b"\x93NUMPY\x01",
        b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x01\x00\x00",
        b"\x93NUMPY\x01\x00\x00\x00",
        b"\x93NUMPY\x01\x00\xff\xff",
        b"\x93NUMPY\x01\x00\xff\xff" + DATA,
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + DATA,
        b"\x93NUMPY\x02\x00\xff\xff\xff\x7f",
        b"\x93NUMPY\x03\x00\x00\x00\x00\x80",
        b"\x93NUMPY\x00\x00" + GOOD[8:],
        b"\x93NUMPY\x04\x00" + GOOD[8:],
        b"\x93NUMPY\x01\x01" + GOOD[8:],
        b"\x93NUMPY\xff\xff" + GOOD[8:],
    ):
        refused(client.post("/v1/reduce", "op=sum", body), body[:16])
        refused(client.post("/v1/reduce", "op=sum", body, "application/x-npy"), body[:16])


def test_npy_cut_at_every_byte(client):
    for size in range(len(GOOD)):
        response = client.post("/v1/reduce", "op=sum", GOOD[:size], "application/x-npy")
        problem = refused(response, size)
        assert problem["code"] == "bad_npy", problem


def test_npy_damaged(client, roots):
    rng = random.Random(1)
    for round_ in range(ROUNDS * 10):
        body = mutate(GOOD, rng)
        answered(client.post("/v1/reduce", "op=sum", body, "application/x-npy"), body)
        if round_ % 8 == 0:
            path = roots.read / "damaged.npy"
            path.write_bytes(body)
            answered(client.reduce("sum", file="damaged.npy", format="npy"), body)


# -- JSON ----------------------------------------------------------------------------------------

BAD_JSON = [
    "",
    " ",
    "\x00",
    "{",
    "}",
    "{}}",
    "[",
    "null",
    "true",
    "1",
    '"sum"',
    "{]",
    "{'op': 'sum'}",
    "{op: 1}",
    '{"op"}',
    '{"op":}',
    '{"op":"sum",}',
    '{"op":"sum" "data":[1]}',
    '{"op":"sum","data":[1 2]}',
    '{"op":"sum","data":[1,,2]}',
    '{"op":"sum","data":[,1]}',
    '{"op":"sum","data":[1}',
    '{"op":"sum","data":[1]]}',
    '{"op":"sum","data":[1]',
    '{"op":"sum","data":[1]}x',
    '{"op":"sum","data":[1]}{}',
    '{"op":"sum","data":[.5]}',
    '{"op":"sum","data":[5.]}',
    '{"op":"sum","data":[1e]}',
    '{"op":"sum","data":[1e+]}',
    '{"op":"sum","data":[1.e1]}',
    '{"op":"sum","data":[--1]}',
    '{"op":"sum","data":[+1]}',
    '{"op":"sum","data":[0x10]}',
    '{"op":"sum","data":[1_000]}',
    '{"op":"sum","data":[00]}',
    '{"op":"sum","data":[-01]}',
    '{"op":"sum","data":[nan]}',
    '{"op":"sum","data":[Nan]}',
    '{"op":"sum","data":[NaNs]}',
    '{"op":"sum","data":[inf]}',
    '{"op":"sum","data":[+Infinity]}',
    '{"op":"sum","data":["nan"]}',
    '{"op":"sum","data":["+Infinity"]}',
    '{"op":"sum","data":["1"]}',
    '{"op":"sum","data":["NaN]}',
    '{"op":"sum","data":[null]}',
    '{"op":"sum","data":[{}]}',
    '{"op":"sum","data":{"0":1}}',
    '{"op":"sum","data":null}',
    '{"op":"sum","data":"1,2"}',
    '{"op":"sum","data":[true,1]}',
    '{"op":"sum","data":[1,false]}',
    '{"op":"sum","data":[1,[2]]}',
    '{"op":"sum","data":[[1],2]}',
    '{"op":"sum","data":[[1],[2,3]]}',
    '{"op":"sum","data":[[1],[[2]]]}',
    '{"op":"sum","data":[[],[1]]}',
    '{"op":"sum","data":[1.5],"dtype":"int8"}',
    '{"op":"sum","data":[300],"dtype":"uint8"}',
    '{"op":"sum","data":[-1],"dtype":"uint8"}',
    '{"op":"sum","data":["NaN"],"dtype":"int64"}',
    '{"op":"sum","data":[2],"dtype":"bool"}',
    '{"op":"sum","data":[true],"dtype":"float64"}',
    '{"op":"sum","data":[1],"dtype":7}',
    '{"op":"sum","data":[1],"dtype":"f8"}',
    '{"op":"sum","data":[1],"dtype":null}',
    '{"op":7,"data":[1]}',
    '{"op":null,"data":[1]}',
    '{"op":[7],"data":[1]}',
    '{"op":{"sum":1},"data":[1]}',
    '{"op":"","data":[1]}',
    '{"op":"SUM","data":[1]}',
    '{"op":" sum","data":[1]}',
    '{"op":"sum\\u0000","data":[1]}',
    '{"op":"lp","data":[1]}',
    '{"op":"lp:","data":[1]}',
    '{"op":"lp:x","data":[1]}',
    '{"op":"lp:1x","data":[1]}',
    '{"op":"lp:0","data":[1]}',
    '{"op":"lp:-1","data":[1]}',
    '{"op":"lp:nan","data":[1]}',
    '{"op":"lp:inf","data":[1]}',
    '{"op":"lp:1e999","data":[1]}',
    '{"op":"lp:0.999999","data":[1]}',
    '{"op":"lp:%s","data":[1]}' % ("1" * 5000),
    '{"op":%s,"data":[1]}' % json.dumps([f"lp:{i + 1}.5" for i in range(1000)]),
    '{"op":"sum","data":[1],"axis":"0"}',
    '{"op":"sum","data":[1],"axis":0.5}',
    '{"op":"sum","data":[1],"axis":[0,0]}',
    '{"op":"sum","data":[1],"axis":1}',
    '{"op":"sum","data":[1],"axis":-2}',
    '{"op":"sum","data":[1],"axis":[[0]]}',
    '{"op":"sum","data":[1],"axis":99999999999999999999}',
    '{"op":"sum","data":1,"axis":0}',
    '{"op":"sum","data":[1],"keepdims":1}',
    '{"op":"sum","data":[1],"bits":"true"}',
    '{"op":"sum","data":[1],"segments":[]}',
    '{"op":"sum","data":[1],"segments":[0]}',
    '{"op":"sum","data":[1],"segments":[1,1]}',
    '{"op":"sum","data":[1],"segments":[0,2]}',
    '{"op":"sum","data":[1],"segments":[0,-1,1]}',
    '{"op":"sum","data":[1],"segments":[0,0.5,1]}',
    '{"op":"sum","data":[1],"segments":[[0,1]]}',
    '{"op":"sum","data":[1],"segments":"0,1"}',
    '{"op":"sum","data":[1],"segments":{"part":0}}',
    '{"op":"sum","data":[1],"segments":{"file":"/etc/passwd"}}',
    '{"op":"sum","data":[1],"segments":{"bad":1}}',
    '{"op":"sum","data":[1],"segments":[0,9223372036854775808]}',
    '{"op":"sum","data":[1],"determinism":true}',
    '{"op":"sum","data":[1],"determinism":"EXACT"}',
    '{"op":"sum","data":[1.0],"nan":""}',
    '{"op":"sum","data":[1],"overflow":"clamp"}',
    '{"op":"var","data":[1.0,2.0],"ddof":-1}',
    '{"op":"var","data":[1.0,2.0],"ddof":1.5}',
    '{"op":"var","data":[1.0,2.0],"ddof":"1"}',
    '{"op":"sum","data":[1],"out_dtype":"complex"}',
    '{"op":"sum","data":[1],"out_dtype":{"max":"int8"}}',
    '{"op":"sum","data":[1],"out_dtype":{"sum":7}}',
    '{"op":"sum","data":[1],"out_dtype":[]}',
    '{"op":"argmax","data":[1],"index_base":-1}',
    '{"op":"argmax","data":[1],"index_base":1e30}',
    '{"op":"sum","data":[1],"backend":"tpu"}',
    '{"op":"sum","data":[1],"backend":"cuda:"}',
    '{"op":"sum","data":[1],"backend":"cuda:x"}',
    '{"op":"sum","data":[1],"backend":"cuda:99999999999"}',
    '{"op":"sum","data":[1],"timeout_ms":-5}',
    '{"op":"sum","data":[1],"timeout_ms":"soon"}',
    '{"op":"sum","data":[1],"with":{"data":[1]}}',
    '{"op":"dot","data":[1],"with":[1]}',
    '{"op":"dot","data":[1],"with":{}}',
    '{"op":"dot","data":[1],"with":{"data":[1],"file":"x"}}',
    '{"op":"dot","data":[1],"with":{"data":[1],"with":{"data":[1]}}}',
    '{"op":"dot","data":[1],"with":{"data":[1.5]}}',
    '{"op":"sum","file":7}',
    '{"op":"sum","file":["x"]}',
    '{"op":"sum","files":"x.npy"}',
    '{"op":"sum","files":[]}',
    '{"op":"sum","files":[7]}',
    '{"op":"sum","files":["["]}',
    '{"op":"sum","files":["\\\\"]}',
    '{"op":"sum","part":-1}',
    '{"op":"sum","part":"0"}',
    '{"op":"sum","data":[1],"output":{}}',
    '{"op":"sum","data":[1],"output":7}',
    '{"op":"sum","data":[1],"output":{"file":""}}',
    '{"op":"sum","data":[1],"output":{"file":"/etc/foldd.npy"}}',
    '{"op":"sum","base64":"####","dtype":"int8"}',
    '{"op":"sum","base64":"AAA","dtype":"int8"}',
    '{"op":"sum","base64":"AAAA","dtype":"float64"}',
    '{"op":"sum","base64":"AAAA","dtype":"int8","shape":[4]}',
    '{"op":"sum","base64":"AAAA","dtype":"int8","shape":[-3]}',
    '{"op":"sum","base64":"AAAA","dtype":"int8","shape":"3"}',
    '{"op":"sum","base64":"AAAA","dtype":"int8","shape":[4294967296,4294967296]}',
    '{"op":"sum","base64":"AAAA","dtype":"int8","shape":[3' + ",1" * 40 + "]}",
    '{"op":"sum","data":[1],"":1}',
    '{"op":"sum","data":[1],"\\ud800":1}',
    '{"op":"sum","data":[1],"x":"\\u00"}',
    '{"op":"sum","data":[1],"x":"\\q"}',
    '{"op":"sum","data":[1],"x":"\t"}',
    "[" * 100000,
    '{"a":' * 100000,
    '{"op":"sum","data":' + "[" * 100000 + "]" * 100000 + "}",
    '{"op":"sum","data":[' + "1" * 1000000 + "]}",
    '{"op":"sum","x":"' + "y" * 1000000 + '"}',
]
GOOD_JSON = [
    b'{"op": ["sum", "lp:2.5"], "data": [[1, -2.5e3], [NaN, "Infinity"]], "axis": [0], "bits": true}',
    b'{"op":"var","base64":"AAAAAAAA8D8=","dtype":"float64","shape":[1],"ddof":0,"nan":"omit"}',
    b'{"op":"dot","data":[1,2,3],"with":{"data":[4,5,6]},"overflow":"wrap","timeout_ms":1000}',
    b'{"op":"max","data":[true,false],"segments":[0,1,2],"empty":"null","out_dtype":{"max":"int8"}}',
    b'{"op":"sum","files":["a*.npy","b[0-9].npy"],"format":"npy","determinism":"exact"}',
]


@pytest.mark.parametrize("number", range(len(BAD_JSON)))
def test_json(client, number):
    body = BAD_JSON[number].encode("utf-8", "surrogatepass")
    refused(client.post("/v1/reduce", None, body, "application/json"), BAD_JSON[number][:200])


@pytest.mark.parametrize("path", ("/v1/reduce", "/v1/scan", "/v1/batch"))
def test_json_damaged(client, path):
    rng = random.Random(2)
    for seed in GOOD_JSON:
        if path == "/v1/batch":
            seed = b'{"jobs": [' + seed.replace(b"{", b'{"kind": "reduce", ', 1) + b"]}"
        for _ in range(ROUNDS * 4):
            body = mutate(seed, rng)
            answered(client.post(path, None, body, "application/json"), body)


def test_json_cut_at_every_byte(client):
    for seed in GOOD_JSON:
        for size in range(len(seed)):
            refused(client.post("/v1/reduce", None, seed[:size], "application/json"), seed[:size])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    ),
    st.sampled_from(("/v1/reduce", "/v1/scan", "/v1/batch", "/v1/merge")),
)
def test_any_json(client, value, path):
    body = json.dumps(value).encode("utf-8", "surrogatepass")
    response = client.post(path, None, body, "application/json")
    answered(response, body)


NAMES = (
    "op kind data base64 file files array part with format dtype shape byteorder offset axis keepdims"
    " segments empty index_base exclusive determinism nan overflow ddof out_dtype backend bits partial"
    " output cache timeout_ms priority slice parts jobs partials"
).split()
WORDS = st.sampled_from(
    [
        "sum",
        "max",
        "scan",
        "reduce",
        "float64",
        "int8",
        "exact",
        "omit",
        "wrap",
        "null",
        "auto",
        "x.npy",
        "",
        "big",
    ]
)
VALUES = (
    WORDS
    | st.integers(-3, 3)
    | st.booleans()
    | st.none()
    | st.floats()
    | st.lists(st.integers(-1, 4) | WORDS | st.lists(st.integers(0, 2), max_size=2), max_size=3)
    | st.dictionaries(
        st.sampled_from(["file", "part", "data", "overwrite"]),
        WORDS | st.integers(0, 1),
        max_size=2,
    )
)


@given(
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=7),
    st.sampled_from(("/v1/reduce", "/v1/scan")),
)
def test_any_members(client, job, path):
    """Right names with wrong values."""
    answered(client.job(path, {"op": "sum", "data": [1.5, 2.5], **job}), job)


# -- query strings -----------------------------------------------------------------------------------

BAD_QUERIES = (
    "op=|op=sum,|op=,sum|op=sum,,max|op=sum&op=sum|op=sum&ddof=1|op=var&ddof=x|op=var&ddof=1&ddof=1|"
    "op=var&ddof=99999999999999999999|op=sum&axis=x|op=sum&axis=0,|op=sum&axis=2|"
    "op=sum&axis=0,0|op=sum&axis=1e0|op=sum&axis=+1|op=sum&axis=--1|op=sum&axis=%30%2|op=sum&keepdims=yes&axis=0|"
    "op=sum&keepdims=1&axis=0|op=sum&dtype=float32|op=sum&dtype=|op=sum&dtype|op=sum&shape=6|op=sum&shape=x|"
    "op=sum&byteorder=big|op=sum&nan|op=sum&nan=maybe|op=sum&determinism=|op=sum&determinism=exact,none|"
    "op=sum&segments=|op=sum&segments=0|op=sum&segments=0,7|op=sum&segments=0,x,6|op=sum&segments=0,-1,6|"
    "op=sum&unknown|op=sum&=1|=|&|op|op&op|op=sum&bits=2|op=sum&with=1|op=dot|op=sum&data=1|op=sum&file=x|"
    "op=sum&files=x|op=sum&part=0|op=sum&parts=1|op=sum&jobs=1|op=sum&kind=reduce|op=sum&output=|op=sum&output=/etc/x|"
    "op=sum&timeout_ms=|op=sum&timeout_ms=1e3|op=sum&index_base=0x1|op=sum&index_base=1|op=sum&exclusive|"
    "op=sum&empty=null|op=sum&out_dtype=int8|op=sum&out_dtype=|op=lp:0.1|op=lp:|op=lp|op=%00|op=sum%00|op=%F0%28%8C%28|"
    "op=sum;max|op=sum&backend=gpu|op=sum&backend=cuda:-1|op=sum&offset=1|op=sum&base64=AAAA"
).split("|")


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_queries(client, query):
    refused(client.post("/v1/reduce", query, GOOD), query)


def test_long_queries(client):
    refused(client.post("/v1/reduce", "op=" + ",".join(["sum"] * 5000), GOOD))
    refused(client.post("/v1/reduce", "&".join(["op=sum"] * 3000), GOOD))
    refused(client.post("/v1/reduce", "op=sum&axis=" + ",".join(["0"] * 3000), GOOD))
    refused(client.post("/v1/reduce", "op=sum&" + "x" * 20000, GOOD))


def test_queries_damaged(client):
    rng = random.Random(3)
    for seed in (
        "op=sum,max&axis=0&keepdims=true&nan=omit",
        "op=lp%3A2.5&segments=0,2,6&bits",
        "op=var&ddof=1&out_dtype=float16",
    ):
        for _ in range(ROUNDS * 6):
            damaged = mutate(seed.encode(), rng)
            query = "".join(
                chr(b) if 0x21 <= b < 0x7F and b != 0x23 else f"%{b:02X}" for b in damaged
            )
            answered(client.post("/v1/reduce", query, GOOD), query)


@given(
    st.text(
        alphabet=st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="#"),
        max_size=60,
    )
)
def test_any_query(client, query):
    answered(client.post("/v1/reduce", query or None, GOOD), query)


# -- raw, kind 4, gzip ---------------------------------------------------------------------------------


def test_raw_sizes(client):
    for dtype, width in (("int16", 2), ("bfloat16", 2), ("float32", 4), ("uint64", 8)):
        for size in (1, width - 1, width + 1, 8 * width - 1):
            if size % width:
                problem = refused(client.post("/v1/reduce", f"op=sum&dtype={dtype}", bytes(size)))
                assert problem["code"] == "bad_shape"
    for shape in (
        "7",
        "2,4",
        "0",
        "6,0",
        "1,1,7",
        "18446744073709551615",
        "4294967296,4294967296",
        "-6",
        "6.0",
    ):
        refused(client.post("/v1/reduce", f"op=sum&dtype=float64&shape={shape}", DATA), shape)
        refused(
            client.post("/v1/reduce", f"op=sum&dtype=float64&shape={shape}", pieces=[DATA]), shape
        )


PARTS = [{"size": 48, "dtype": "float64", "shape": [6]}]
BAD_PARTS = [
    None,
    7,
    {},
    [],
    [7],
    [{}],
    [{"size": 48}],
    [{"dtype": "float64", "shape": [6]}],
    [{"size": -48, "dtype": "float64", "shape": [6]}],
    [{"size": "48", "dtype": "float64", "shape": [6]}],
    [{"size": 47, "dtype": "float64", "shape": [6]}],
    [{"size": 49, "dtype": "float64", "shape": [6]}],
    [{"size": 48, "dtype": "float64", "shape": [7]}],
    [{"size": 48, "dtype": "f8", "shape": [6]}],
    [{"size": 48, "format": "csv"}],
    [{"size": 48, "format": "npy", "dtype": "float32"}],
    [{"size": 48, "dtype": "float64", "shape": [6], "more": 1}],
    [{"size": 18446744073709551615, "dtype": "float64", "shape": [6]}],
    PARTS * 2,
    [{"size": 2**63 - 1, "dtype": "uint8", "shape": [2**63 - 1]}, *PARTS],
]


@pytest.mark.parametrize("number", range(len(BAD_PARTS)))
def test_parts(client, number):
    job = {"op": "sum", "part": 0, "parts": BAD_PARTS[number]}
    refused(client.multipart("/v1/reduce", job, [DATA]), job)


@pytest.mark.parametrize(
    "length",
    (
        "",
        "x",
        "-1",
        "+5",
        "1.0",
        "0",
        "99999999999999999999999",
        "18446744073709551615",
        "1000000",
        None,
    ),
)
def test_job_length(client, length):
    text = json.dumps({"op": "sum", "part": 0, "parts": PARTS}).encode()
    headers = {} if length is None else {"Foldd-Job-Length": length}
    refused(client.post("/v1/reduce", None, text + DATA, "application/vnd.foldd", headers))


def test_kind_4_cut_at_every_byte(client):
    text = json.dumps({"op": "sum", "part": 0, "parts": PARTS}).encode()
    body = text + DATA
    headers = {"Foldd-Job-Length": len(text)}
    for size in range(len(body)):
        refused(
            client.post("/v1/reduce", None, body[:size], "application/vnd.foldd", headers), size
        )


def test_kind_4_damaged(client):
    rng = random.Random(4)
    text = json.dumps(
        {
            "op": ["sum"],
            "part": 0,
            "segments": {"part": 1},
            "parts": PARTS + [{"size": 24, "dtype": "int64", "shape": [3]}],
        }
    ).encode()
    body = text + DATA + np.array([0, 2, 6], dtype="<i8").tobytes()
    for _ in range(ROUNDS * 10):
        damaged = mutate(body, rng)
        length = max(0, len(text) + rng.choice((0, 0, 0, -1, 1, 48, -30, 1 << 40)))
        headers = {"Foldd-Job-Length": length}
        response = client.post("/v1/reduce", None, damaged, "application/vnd.foldd", headers)
        answered(response, (damaged, length))


def test_segments_of_hostile_parts(client):
    """Offsets from a part are data: none may be trusted."""
    for offsets in ([0, 7], [0, -1, 6], [1, 6], [0, 2**62, 6], [-(2**63), 6], [0, 3, 2, 6], []):
        body = np.array(offsets, dtype="<i8").tobytes()
        job = {"op": "sum", "part": 0, "segments": {"part": 1}}
        job["parts"] = PARTS + [{"size": len(body), "dtype": "int64", "shape": [len(offsets)]}]
        refused(client.multipart("/v1/reduce", job, [DATA, body]), offsets)
        refused(client.multipart("/v1/scan", job, [DATA, body]), offsets)


def test_gzip_damaged(client):
    rng = random.Random(5)
    packed = gzip.compress(GOOD)
    headers = {"Content-Encoding": "gzip"}
    for size in range(len(packed)):
        refused(client.post("/v1/reduce", "op=sum", packed[:size], headers=headers), size)
    for _ in range(ROUNDS * 10):
        answered(client.post("/v1/reduce", "op=sum", mutate(packed, rng), headers=headers))
    refused(client.post("/v1/reduce", "op=sum", GOOD, headers=headers))


@given(
    st.binary(max_size=200),
    st.sampled_from((None, "application/json", "application/x-npy", "application/vnd.foldd")),
)
def test_any_body(client, body, content_type):
    headers = (
        {"Foldd-Job-Length": len(body) // 2} if content_type == "application/vnd.foldd" else {}
    )
    answered(client.post("/v1/reduce", None, body, content_type, headers), body)


@pytest.mark.parametrize(
    "path",
    (
        "/%",
        "/%z",
        "/%zz",
        "/a%0",
        "/%00",
        "/%0a2026 forged",
        "/%0d%0aX:y",
        "/%ff%fe",
        "/%e2%82",
        "/a%22b",
    ),
)
def test_paths(daemon, path):
    """The problem is JSON, and the log keeps one line a request."""
    client = daemon.client()
    response = client.get(path.replace(" ", "%20"), {"X-Request-Id": "a-broken-path"})
    assert response.problem()["code"] == "not_found"
    assert "\n2026 forged" not in daemon.log_text()


RAW_REQUESTS = [
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /healthz\r\n\r\n",
    b"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
    b"GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"G\x00T /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /%00healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nNo-Colon\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    b"POST /v1/reduce HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}xx\r\n0\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    bytes(range(256)) * 40,
]


@pytest.mark.parametrize("number", range(len(RAW_REQUESTS)))
def test_raw_requests(daemon, number):
    """Whatever comes over the socket: an answer or a closed connection, in time."""
    client = daemon.client(timeout=5)
    client.send(RAW_REQUESTS[number])
    try:
        client.socket.shutdown(socket.SHUT_WR)
        response = client.read_response()
        assert response.status < 600 and response.status != 500, response
    except (EOFError, ConnectionError, ValueError):
        pass
    client.close()
    assert daemon.client().get("/healthz").status == 200
