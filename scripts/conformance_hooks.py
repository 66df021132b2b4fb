"""What scripts/conformance changes in requests that schemathesis generates, so that their answers come at once and are their own.
Only values that the contract allows are changed: what it does not allow is sent as it is."""

import hashlib
import re

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    headers, query = case.headers, case.query
    # A header that nobody knows is no fault of a request, but would be taken for one beside a number.
    headers.pop("x-schemathesis-unknown-property", None)
    if path == "/events":
        # A page: a stream of events ends when its reader ends it.
        headers["Accept"] = "application/json"
        if is_number_up_to(30, query.get("wait")):
            query["wait"] = 0
    if path == "/commands" and "Starkeep-Timeout-Millis" in parameters_of(case):
        # A batch waits for its round, which never comes for most of them.
        if is_number_up_to(2**64 - 1, headers.get("Starkeep-Timeout-Millis", 0)):
            headers["Starkeep-Timeout-Millis"] = "20"
    if re.fullmatch("[!-~]{1,255}", headers.get("Idempotency-Key", "")):
        # A key that came with another request is refused, or gets the answer to that one. A repeat has the same key again.
        others = sorted((name, str(value)) for name, value in headers.items() if name != "Idempotency-Key")
        request = repr((case.method, case.formatted_path, query, others, case.body))
        headers["Idempotency-Key"] = hashlib.sha256(request.encode(errors="replace")).hexdigest()


def is_number_up_to(most, value):
    return re.fullmatch("[0-9]+", str(value)) is not None and int(value) <= most


def parameters_of(case):
    return [parameter["name"] for parameter in case.operation.definition.raw.get("parameters", [])]
