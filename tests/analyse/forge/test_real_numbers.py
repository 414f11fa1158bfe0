"""Numbers in subjects of real days: each change is joined with its own pull request, and never with an issue.

Subjects are facts of the repositories' histories; `own` is the pull request that became the commit, `named` are other
numbers that the subject carries: issues that it mends, and pull requests that it reverts or lands again.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from analyse.forge.forged import REPO, change, ends, entry, issue, pull, read, side
from daybreak.core.model.items import Activity
from daybreak.judge.links.joins import Numbers


class Fact(NamedTuple):
    subject: str
    own: int | None
    named: tuple[int, ...] = ()


FACTS = [
    Fact('Revert "[Bugfix][MoE] Tune FlashInfer experts to scheduler token limit" (#52989) (#53186)', 53186, (52989,)),
    Fact("[Bugfix][V1][Multimodal] Recover from P0/P1 processor cache drift (#46747) (#46747)", 46747),
    Fact("Revert [Misc] Avoid importing `nixl_ep` on every `vllm serve` config (#50879) (#51176)", 51176, (50879,)),
    Fact('Revert "[Misc][Minimax-M3]add default video_processor (#50092)" (#50313)', 50313, (50092,)),
    Fact("[MRV2] Always build attn metadata at capture time (#49364) (#49995)", 49995, (49364,)),
    Fact('Revert "[Platform] Replace `torch.cuda.Event` with `torch.Event` (#47140)" (#47668)', 47668, (47140,)),
    Fact("[Kernel] Add weightless RMSNorm CUDA kernels for has_weight=False (#41430) (#44109)", 44109, (41430,)),
    Fact("[rust-server] Reland: fix TCP-layer TTFT stalls (#33026) (#33269)", 33269, (33026,)),
    Fact("Fix reward/classification models broken by `load_weights` v2 dispatch (#28671) (#31988)", 31988, (28671,)),
    Fact('Revert "Fix mamba track-boundary seqlen under overlap scheduler (#31369)" (#31622)', 31622, (31369,)),
    Fact('Revert "Bump FlashInfer to 0.6.15 and revert regressions" (#31625)', 31625),
    Fact("fix: headDim=512 GQA decode (#3343) (#3393)", 3393, (3343,)),
    Fact('Revert "feat: Support fp8 qkv, fp16/bf16 out MHA for trtllm-gen. (#1490) (#1496)', 1496, (1490,)),
    Fact("docs: Fix float16 documentation in elementwise_add notebook (#2949) (#3047)", 3047, (2949,)),
    Fact("Merge pull request #3289 from kainzhong/more_tvm_ffi_doc", 3289),
    Fact("Merge pull request #2185 from henrylhtsang/test_local_r2p", 2185),
    Fact("Merge pull request #98 from deepseek-ai/open-source-h", 98),
    Fact('Revert "[BE] Better compress flash attention binaries (#1744)" (#1751)', 1751, (1744,)),
    Fact('Revert "Fixed the bug in get_swizzle_mode function related to elem_size setting. (#115)"', None, (115,)),
    Fact("Allow assignments with type annotations (GitHub issue #45)", None, (45,)),
    Fact("[Dependency] Flashinfer 0.6.8post1 -> 0.6.11 (#24452)", 24452),
    Fact("fix for thor (#3224)", 3224),
]
KINDS = ["issues", "pulls of other commits", "nobody knows"]


def world(fact: Fact, kind: str, *, own: bool = True) -> Activity:
    """What the forge knows: the change's own pull request, and what the other numbers are."""
    pulls = [pull(fact.own, merge_sha="a" * 40)] if own and fact.own else []
    if kind == "pulls of other commits":
        pulls += [pull(number, merge_sha=f"{number:040x}") for number in fact.named]
    not_pulls = fact.named if kind == "issues" else ()
    return Activity(REPO, pulls=tuple(pulls), not_pulls=not_pulls)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.subject[:30])
def test_every_change_is_joined_with_its_own_pull_request(fact: Fact, kind: str) -> None:
    made = change("a", fact.subject)
    assert Numbers(world(fact, kind), [made]).of_change(made) == fact.own
    activity = world(fact, kind)
    one = side(entry(made), pulls=activity.pulls, not_pulls=activity.not_pulls)
    own = [(f"pull:{REPO}#{fact.own}", "commit:a")] if fact.own else []
    assert ends(read(one), "brings") == own


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.subject[:30])
def test_the_subject_alone_says_the_same_when_the_forge_does_not_know_the_pull_request(fact: Fact, kind: str) -> None:
    made = change("a", fact.subject)
    assert Numbers(world(fact, kind, own=False), [made]).of_change(made) == fact.own


@pytest.mark.parametrize("fact", [fact for fact in FACTS if fact.own], ids=lambda fact: fact.subject[:30])
def test_the_same_number_is_joined_with_nothing_when_it_is_an_issue(fact: Fact) -> None:
    made = change("a", fact.subject)
    for activity in (Activity(REPO, not_pulls=(fact.own or 0,)), Activity(REPO, issues=(issue(fact.own or 0),))):
        assert Numbers(activity, [made]).of_change(made) is None
        one = side(entry(made), issues=activity.issues, not_pulls=activity.not_pulls)
        assert ends(read(one), "brings") == []


def test_all_of_a_day_together_are_joined_one_to_one() -> None:
    digits = "0123456789abcdef"
    own = [fact for fact in FACTS if fact.own][: len(digits)]
    entries = [entry(change(digit, fact.subject)) for digit, fact in zip(digits, own, strict=True)]
    pulls = [pull(fact.own or 0, merge_sha=digit * 40) for digit, fact in zip(digits, own, strict=True)]
    found = ends(read(side(*entries, pulls=pulls)), "brings")
    assert found == [(f"pull:{REPO}#{fact.own}", f"commit:{digit}") for digit, fact in zip(digits, own, strict=True)]
