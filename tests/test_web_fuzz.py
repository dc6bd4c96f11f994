"""The API fuzzed from its own description: whatever comes, the answer is one that the description names."""

import httpx
import pytest
from hypothesis import HealthCheck, settings

from spielwerk.web.app import create_app
from spielwerk.web.store import MatchStore
from web_server import Server

schemathesis = pytest.importorskip("schemathesis", reason="fuzzing needs schemathesis: pip install spielwerk[dev]")

from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("fuzz")) as running:
        yield running


schema = schemathesis.openapi.from_dict(create_app(MatchStore(":memory:")).openapi())


@schema.parametrize()
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_the_description_names(server, case):
    response = case.call(base_url=server.address)
    case.validate_response(response, checks=CHECKS)
    assert response.status_code != 500
    assert response.headers["x-content-type-options"] == ["nosniff"]


ODD = ["9" * 30, "9" * 400, "-1", "²", "\x00", "NaN", "run-" + "9" * 30, "x" * 300, "\ufffd"]


@schema.include(path_regex=r"\{(match|job|game|number)\}").parametrize()
@settings(max_examples=1, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_whatever_stands_in_an_address_is_answered(server, case):
    for value in ODD:
        case.path_parameters = dict.fromkeys(case.path_parameters, value)
        response = case.call(base_url=server.address)
        assert 400 <= response.status_code < 500, (case.path, value)


@pytest.fixture(scope="module")
def matches(server):
    """(id, token) of a match that goes on and of one that is over."""
    found = []
    for _ in range(2):
        body = {"game": "cards", "places": [{"who": "me"}, {"who": "agent", "agent": "random"}]}
        started = httpx.post(f"{server.address}/api/matches", json=body, timeout=60).json()
        found.append((started["match"], started["tokens"][0]["token"]))
    match, token = found[1]
    headers = {"X-Seat-Token": token}
    httpx.post(f"{server.address}/api/matches/{match}/resign", json={"seat": 0}, headers=headers, timeout=60)
    return found


@schema.include(path_regex="{match}").parametrize()
@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_nothing_breaks_a_match_that_exists(server, matches, case):
    for match, token in matches:
        case.path_parameters["match"] = match
        response = case.call(base_url=server.address, headers={"X-Seat-Token": token})
        case.validate_response(response, checks=CHECKS[:-1])
        assert response.status_code != 500
