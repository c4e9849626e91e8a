"""The four kinds of body, how they are told apart, and what JSON numbers mean."""

import base64
import json
import urllib.parse

import numpy as np
import pytest

from harness.elements import STORAGE, npy, npy_file, raw

ARRAY = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
NPY = npy(ARRAY, "float64")
JSON = b'{"op": "sum", "data": [[1, 2, 4], [8, 16, 32]]}'
FORM = "application/x-www-form-urlencoded"
OCTETS = "application/octet-stream"


def result(response, op="sum"):
    assert response.status == 200, response
    return response.json()["results"][op]


def code(response):
    return response.problem()["code"]


# -- telling them apart --------------------------------------------------------------


@pytest.mark.parametrize("hint", (None, FORM, OCTETS, "application/octet-stream; x=y"))
def test_the_first_bytes_decide(client, hint):
    assert result(client.post("/v1/reduce", "op=sum", NPY, hint)) == 63.0
    assert result(client.post("/v1/reduce", None, JSON, hint)) == 63
    query = "op=sum&dtype=float64&shape=2,3"
    assert result(client.post("/v1/reduce", query, raw(ARRAY, "float64"), hint)) == 63.0
    # a dtype in the query does not make an npy file raw
    assert result(client.post("/v1/reduce", "op=sum&dtype=float64", NPY, hint)) == 63.0
    assert result(client.post("/v1/reduce", None, b" \n\t" + JSON, hint)) == 63


@pytest.mark.parametrize("size", (1, 2, 5, 6, 7, 100))
def test_first_bytes_in_pieces(client, size):
    for query, body in (
        ("op=sum", NPY),
        ("op=sum&dtype=uint8", b"\x93NUMP" + bytes(20)),
        (None, JSON),
    ):
        pieces = [body[i : i + size] for i in range(0, len(body), size)]
        whole = client.post("/v1/reduce", query, body)
        assert (
            client.post("/v1/reduce", query, pieces=pieces).json()["results"]
            == whole.json()["results"]
        )


def test_raw_that_looks_like_something_else(client):
    """With a dtype, only a whole magic makes a NumPy file."""
    for body in (b"\x93NUMP", b"{}", b"\x93NUMPX", b"[1]", b""):
        assert result(client.post("/v1/reduce", "op=count&dtype=uint8", body), "count") == len(body)


def test_a_given_type_holds(client):
    assert result(client.post("/v1/reduce", "op=sum", NPY, "application/x-npy")) == 63.0
    assert code(client.post("/v1/reduce", "op=sum", JSON, "application/x-npy")) == "bad_npy"
    assert code(client.post("/v1/reduce", None, NPY, "application/json")) == "bad_json"
    assert result(client.post("/v1/reduce", None, JSON, "application/json; charset=utf-8")) == 63
    assert result(client.post("/v1/reduce", None, JSON, "Application/JSON")) == 63


@pytest.mark.parametrize(
    "content_type", ("text/csv", "application/xml", "application/x-npz", "x", "image/png")
)
def test_other_types(client, content_type):
    response = client.post("/v1/reduce", "op=sum", NPY, content_type)
    assert response.status == 415 and code(response) == "unsupported_media_type"


# -- query strings ----------------------------------------------------------------------


def test_query_lists_and_booleans(client):
    for query in ("op=sum,max&axis=0&keepdims", "op=sum&op=max&axis=0&keepdims=true"):
        answer = client.post("/v1/reduce", query, NPY).json()
        assert answer["results"] == {"sum": [[9.0, 18.0, 36.0]], "max": [[8.0, 16.0, 32.0]]}
    answer = client.post("/v1/reduce", "op=sum&axis=0,1&keepdims=false&bits", NPY).json()
    assert answer["results"]["sum"] == 63.0 and answer["bits"]["sum"] == "0x404f800000000000"
    answer = client.post("/v1/reduce", "op=sum&segments=0,2,6", NPY).json()
    assert answer["results"]["sum"] == [3.0, 60.0]


def test_query_escapes(client, roots):
    path = roots.read / "a+b, c&d%.npy"
    path.write_bytes(NPY)
    query = "op=sum&file=" + urllib.parse.quote("a+b, c&d%.npy", safe="")
    assert result(client.post("/v1/reduce", query)) == 63.0
    assert result(client.post("/v1/reduce", "op=sum&file=a+b,%20c%26d%25.npy")) == 63.0
    assert result(client.post("/v1/reduce", "%6fp=s%75m", NPY)) == 63.0
    assert (
        result(
            client.post("/v1/reduce", "op=lp%3A2.5&dtype=float64", raw(ARRAY, "float64")), "lp:2.5"
        )
        > 32
    )
    path.unlink()


def test_query_alone(client):
    assert result(client.post("/v1/reduce", "op=sum&data=1,2,3.5")) == 6.5
    assert result(client.post("/v1/reduce", "op=sum&data=1,2,3")) == 6
    assert result(client.post("/v1/scan", "op=sum&data=1,2,3&exclusive")) == [0, 1, 3]


@pytest.mark.parametrize(
    "query", ("op=sum&x=%", "op=sum&x=%zz", "op=sum&%00=1", "op=s%ffm", "op=%", "&&", "=", "op")
)
def test_query_nonsense(client, query):
    response = client.post("/v1/reduce", query, NPY)
    assert response.status == 400, response
    response.problem()


# -- NumPy files ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", STORAGE)
@pytest.mark.parametrize("version", ((1, 0), (2, 0), (3, 0)))
def test_npy_types_and_versions(client, dtype, version):
    array = np.array([[1, 0, 1], [1, 1, 0]])
    if dtype == "bfloat16":
        array = array * 0x3F80
    for byteorder in "<>":
        for fortran in (False, True):
            body = npy(array, dtype, byteorder, fortran, version)
            query = "op=sum&axis=1" + ("&dtype=bfloat16" if dtype == "bfloat16" else "")
            assert result(client.post("/v1/reduce", query, body)) == [2, 2]


def test_numpys_own_files(client):
    import io

    for array in (
        np.float32(2.5),
        np.arange(5, dtype=">i2"),
        np.asfortranarray(ARRAY),
        np.zeros((0, 3)),
        np.ones((1,) * 32, dtype="u1"),
        ARRAY[:, ::2],
    ):
        file = io.BytesIO()
        np.save(file, array)
        answer = client.post("/v1/reduce", "op=sum,count", file.getvalue()).json()
        assert answer["results"]["sum"] == array.sum()
        assert answer["results"]["count"] == array.size


def test_header_spellings(client):
    """What the writers of the last twenty years have written."""
    data = raw(ARRAY, "float64")
    for header in (
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
        '{"descr": "<f8", "fortran_order": False, "shape": (2, 3), }',
        "{'shape': (2L, 3L), 'fortran_order': False, 'descr': '<f8'}",
        "{ 'shape' : ( 2 , 3 , ) , 'descr' : '<f8' , 'fortran_order' : False , }",
        "{'descr':'<f8','fortran_order':False,'shape':(2,3)}",
    ):
        assert result(client.post("/v1/reduce", "op=sum", npy_file(header, data))) == 63.0, header


def test_a_bool_is_any_byte(client):
    body = bytes([0, 1, 2, 255, 0])
    answer = client.post("/v1/reduce", "op=sum,max,count_nonzero&dtype=bool", body).json()
    assert answer["results"] == {"sum": 3, "max": True, "count_nonzero": 3}


# -- raw ---------------------------------------------------------------------------------------


def test_raw_without_shape_is_flat(client):
    answer = client.post("/v1/reduce", "op=sum,argmax&dtype=float64", raw(ARRAY, "float64")).json()
    assert answer["results"] == {"sum": 63.0, "argmax": 5}


def test_raw_zero_dimensional_and_empty(client):
    one = raw(np.float64(2.5), "float64")
    assert result(client.post("/v1/reduce", "op=sum&dtype=float64&shape=1", one)) == 2.5
    assert result(client.post("/v1/reduce", "op=sum&dtype=float64", b"")) == 0.0
    job = {"op": "sum", "base64": base64.b64encode(one).decode(), "dtype": "float64", "shape": []}
    assert result(client.job("/v1/reduce", job)) == 2.5


def test_raw_byte_order(client):
    for order, name in (("<", "little"), (">", "big")):
        body = raw(ARRAY, "float32", order)
        query = f"op=sum&dtype=float32&byteorder={name}"
        assert result(client.post("/v1/reduce", query, body)) == 63.0
    assert (
        code(client.post("/v1/reduce", "op=sum&dtype=float32&byteorder=middle", b"")) == "bad_value"
    )


# -- JSON numbers ----------------------------------------------------------------------------


def typed(client, data, **members):
    body = (
        b'{"op": "max", "data": '
        + data.encode()
        + b"".join(
            b', "%s": %s' % (name.encode(), json.dumps(value).encode())
            for name, value in members.items()
        )
        + b"}"
    )
    response = client.post("/v1/reduce", None, body, "application/json")
    assert response.status == 200, (response, data)
    answer = response.json()
    return answer["dtype"]["max"], answer["results"]["max"]


@pytest.mark.parametrize(
    "data, dtype, value",
    (
        ("[1, 2, 3]", "int64", 3),
        ("[-1, 9223372036854775807]", "int64", 2**63 - 1),
        ("[1, 9223372036854775808]", "uint64", 2**63),
        ("[18446744073709551615]", "uint64", 2**64 - 1),
        ("[-1, 9223372036854775808]", "float64", 2.0**63),
        ("[1, 2.0]", "float64", 2.0),
        ("[1, 1e2]", "float64", 100.0),
        ("[1, -0]", "int64", 1),
        ("[-0.0]", "float64", 0.0),
        ("[true, false]", "bool", True),
        ("true", "bool", True),
        ("7", "int64", 7),
        ("7.5", "float64", 7.5),
        ('"Infinity"', "float64", "Infinity"),
        ('[1, "NaN"]', "float64", "NaN"),
        ("[1, NaN]", "float64", "NaN"),
        ("[Infinity, -Infinity]", "float64", "Infinity"),
        ('["-Infinity"]', "float64", "-Infinity"),
        ("[1e400]", "float64", "Infinity"),
        ("[-1e400, -1e308]", "float64", -1e308),
        ("[4.9e-324]", "float64", 5e-324),
        ("[2e-324]", "float64", 0.0),
        ("[[1, 2], [3, 4]]", "int64", 4),
        ("[0.1, 0.30000000000000004]", "float64", 0.30000000000000004),
        ("[9007199254740993.0]", "float64", 9007199254740992.0),
        (
            "[1.00000000000000011102230246251565404236316680908203126]",
            "float64",
            1.0000000000000002,
        ),
    ),
)
def test_inference(client, data, dtype, value):
    assert typed(client, data) == (dtype, value)


@pytest.mark.parametrize(
    "dtype, data, value",
    (
        ("float16", "[2049]", 2048.0),  # half way: to even
        ("float16", "[2049.0000000000000000000000001]", 2050.0),  # rounded once, not by binary64
        ("float16", "[65519.99]", 65500.0),  # fewest digits of 65504
        ("float16", "[65520]", "Infinity"),
        ("bfloat16", "[257]", 256.0),
        ("bfloat16", "[257.00000000000000000000001]", 258.0),
        ("float32", "[16777217]", 16777216.0),
        ("float32", "[16777217.0000000000000000001]", 16777218.0),
        ("float32", "[0.1]", 0.1),
        ("float32", "[3.5e38]", "Infinity"),
        ("float64", "[1, 2]", 2.0),
        ("int8", "[1e1, 2.0, -128]", 10),
        ("uint64", "[18446744073709551615]", 2**64 - 1),
        ("int64", "[1e18]", 10**18),
        ("bool", "[true, false]", True),
    ),
)
def test_a_given_dtype(client, dtype, data, value):
    assert typed(client, data, dtype=dtype) == (dtype, value)


def test_shapes_of_nested_lists(client):
    def shape(data):
        response = client.job(
            "/v1/scan", {"op": "max", "data": data, "axis": -1, "dtype": "float64"}
        )
        assert response.status == 200, response
        return response.json()["shape"]["max"]

    assert shape([]) == [0]
    assert shape([[], []]) == [2, 0]
    assert shape([[[1], [2]]]) == [1, 2, 1]
    deep = 1
    for _ in range(31):
        deep = [deep]
    assert shape(deep) == [1] * 31


def test_white_space_and_order_of_members(client):
    body = b'\n{\t"data" :\r\n[ 1 ,\n2\t]  , "nan":"propagate","op":"sum" }\n '
    assert result(client.post("/v1/reduce", None, body)) == 3
    body = b'{"d\\u0061ta": [1, 2], "\\u006fp": "s\\u0075m"}'
    assert result(client.post("/v1/reduce", None, body)) == 3


def test_base64(client):
    text = base64.b64encode(raw(ARRAY, "float32")).decode()
    job = {"op": "sum", "base64": text, "dtype": "float32", "shape": [2, 3], "axis": 1}
    assert result(client.job("/v1/reduce", job)) == [7.0, 56.0]
    job = {"op": "sum", "base64": "", "dtype": "float32"}
    assert result(client.job("/v1/reduce", job)) == 0.0
    for bad in (
        text[:-1],
        text + "=",
        text.replace("A", "-"),
        " " + text,
        text + "\n",
        "A",
        "AB=C",
    ):
        job = {"op": "sum", "base64": bad, "dtype": "uint8"}
        problem = client.job("/v1/reduce", job).problem()
        assert problem["code"] in ("bad_value", "bad_shape"), (bad, problem)


def test_a_million_numbers(client):
    """More than one read of the socket, and every digit counts."""
    rng = np.random.default_rng(3)
    array = rng.standard_normal(1_000_000) * 10.0 ** rng.integers(-30, 30, 1_000_000)
    body = b'{"op": "sum", "determinism": "exact", "bits": true, "data": [%b]}' % b",".join(
        repr(x).encode() for x in array.tolist()
    )
    from_json = client.post("/v1/reduce", None, body).json()
    query = "op=sum&determinism=exact&bits"
    assert (
        from_json["bits"] == client.post("/v1/reduce", query, npy(array, "float64")).json()["bits"]
    )
