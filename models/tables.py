"""Tables of the files that people write: what their checked forms share."""

from pydantic import BaseModel, ConfigDict


class FileTable(BaseModel):
    """A table with no unknown keys and no infinite numbers, which nothing changes once it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
