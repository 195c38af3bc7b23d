"""The answer to a request that the server does not serve."""

import orjson


class Refusal(Exception):
    """A request is refused with this HTTP status and an error object in OpenAI's shape.

    `param` names the body field at fault, `code` is the machine-readable reason. `faults` are those
    of the script that struck the request.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code
        self.headers = headers
        self.faults: tuple[str, ...] = ()

    def body(self) -> bytes:
        """Return the JSON error object."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return orjson.dumps({"error": error})
