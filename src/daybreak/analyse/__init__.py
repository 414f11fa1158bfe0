"""Stage 3: analyse what the changes mean. `ANALYSTS` maps an analyst's name to where it is defined."""

ANALYSTS = {
    "rules": "daybreak.analyse.rules:RuleAnalyst",
    "llm": "daybreak.analyse.model_analyst:ModelAnalyst",
}
