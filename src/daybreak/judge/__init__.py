"""Stage 3: analyse what the changes mean. `ANALYSTS` maps an analyst's name to where it is defined."""

ANALYSTS = {
    "rules": "daybreak.judge.rules:RuleAnalyst",
    "llm": "daybreak.prose.model_analyst:ModelAnalyst",
}
