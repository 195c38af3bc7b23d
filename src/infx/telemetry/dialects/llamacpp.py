"""llama.cpp. Names: `llamacpp:`, without labels.

Source: pages of its server, build 11549. Prompt tokens are those it processed: what it took from
its cache is counted apart, so what was looked for is the sum. It is counted when a prompt is done.
"""

from infx.model.server import Quantity
from infx.telemetry.families import Families, Term, one

PREFIXES = ("llamacpp:",)

_ASKED = (Term("llamacpp:prompt_tokens"), Term("llamacpp:prompt_tokens_cached"))

FAMILIES: Families = {
    Quantity.PROMPT_TOKENS: (_ASKED,),
    Quantity.GENERATION_TOKENS: (one("llamacpp:tokens_predicted"),),
    Quantity.CACHE_QUERIES: (_ASKED,),
    Quantity.GPU_HITS: (one("llamacpp:prompt_tokens_cached"),),
    Quantity.RUNNING: (one("llamacpp:requests_processing"),),
    Quantity.WAITING: (one("llamacpp:requests_deferred"),),
    Quantity.DRAFTS: (one("llamacpp:spec_decode_num_drafts"),),
    Quantity.DRAFTED: (one("llamacpp:spec_decode_num_draft_tokens"),),
    Quantity.ACCEPTED: (one("llamacpp:spec_decode_num_accepted_tokens"),),
}
