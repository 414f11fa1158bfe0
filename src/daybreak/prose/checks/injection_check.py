"""Check: the statement follows no order that stands in the evidence, and does not grade the change."""

from __future__ import annotations

import re

from daybreak.prose.checks.injection_patterns import speaks_to_reader
from daybreak.prose.checks.interface import Claim, Fault

_GRADES = re.compile(
    r"\b(?:most|extremely|very|highly|top|utmost|critically|exceptionally) (?:important|critical|urgent|severe|significant)\b"
    r"|\b(?:high|highest|top|critical|maximum|utmost|low|lowest) (?:importance|severity|grade|risk level)\b|\b(?:change|commit|update|fix|release|patch)\b.{0,30}\b(?:high|highest|top|low|lowest)[- ]priority\b|\b(?:high|highest|top)[- ]priority (?:change|commit|update|fix|release|patch)"
    r"|\b(?:critical|urgent|emergency|important|mandatory) (?:update|upgrade|release|change|patch|commit|notice|fix)\b"
    r"|\b(?:upgrade|install|migrate|patch)\b.{0,30}\b(?:immediately|right away|at once|now!|asap|without delay|as soon as possible|urgently)"
    r"|\b(?:update|act|switch)\b.{0,30}\b(?:right away|now!|asap|without delay|as soon as possible|urgently)"
    r"|(?<!`\s)\b(?:must|should) (?:all |immediately |urgently )?(?:upgrade|trust|approve|visit|click|download|contact|donate|star)\b"
    r"|\b(?:you|users|readers|people|teams|operators|we|they) (?:must|should) (?:all |immediately |urgently )?(?:update|migrate|install|merge|read|run|execute|follow)\b"
    r"|\b(?:everyone|everybody|all (?:users|readers|deployments)|every user|readers)\b.{0,20}\b(?:must|should|has to|have to|need to)\b"
    r"|\bbest (?:project|change|library|framework|release|commit)\b|\b(?:revolutionary|game[- ]chang\w+|ground-?breaking|world-class|flawless|perfect)\b"
    r"|\b(?:approved|endorsed|certified|audited) by\b|\b(?:verified|reviewed) by (?!an? |the (?:new )?(?:tests?|code|check|kernel|server)|`|unit|tests?\b)|\bofficially (?:approved|endorsed|recommended)"
    r"|\b(?:other|remaining|rest of the) (?:commits?|changes?|items?|projects?|repositories)\b.{0,30}\b(?:ignor\w+|irrelevant|unimportant|skipp?\w*|fake|malicious|low)\b"
    r"|(?:极其|非常|十分|最为|至关|特别|高度|极为)(?:重要|关键|紧急|严重)|(?:重大|紧急|关键|高危|严重|强制)(?:更新|升级|变更|漏洞|修复|提交|补丁|发布)|重要性(?!采样|权重|得分|分数)|(?:改动|变更|提交|更新|修复)[^，。；]{0,8}优先级(?:最高|为高)"
    r"|(?:立即|立刻|马上).{0,8}(?:升级|安装|迁移|合入|打补丁|访问|点击|下载|联系)"
    r"|(?:尽快|务必|必须尽快|强烈建议|第一时间).{0,8}(?:升级|更新|安装|迁移|合入|打补丁|处理|切换|访问|点击|下载|执行|联系)"
    r"|(?:所有人|全体用户|所有用户|每个用户|各位|大家|全部部署|所有部署).{0,8}(?:必须|务必|应当|应该|应|需要|须|请)|(?:其他|其余|别的)(?:提交|变更|条目|项目|仓库).{0,8}(?:忽略|无关|不重要|伪造|恶意)"
    r"|里程碑|划时代|革命性|完美无|史上最|最佳(?:项目|框架)|官方(?:认可|推荐|认证)|经(?:审计|安全审查)|已(?:通过|经过)(?:安全)?(?:审计|审查|认证)",
    re.IGNORECASE,
)
_OBEYS = re.compile(
    r"\b(?:as (?:you )?(?:instructed|requested|ordered|asked|told)|per (?:your|the) (?:instruction|request|order)s?|(?-i:\bI (?:am|was|have|will|cannot|can't|must|do)\b|I'm|I've)|we (?:are|have) been)"
    r"|\bas an? (?:AI|LLM|language model|assistant)\b(?! \w+ (?:message|turn|role))|\bAI (?:model|assistant|analyst|summari[sz]er)s?\b|\b(?:LLM|language) (?:assistant|analyst|summari[sz]er)s?\b|\bprevious instructions?\b|\bsystem prompts? (?:is|reads|says)\b|\b(?:pwned|hacked|jailbr\w+|DAN mode)\b"
    r"|按(?:照)?(?:你的|您的|上述|该|提交的?)?(?:指令|要求|指示)|遵照|遵从|我(?:是|已|会|将|无法|必须)|作为(?:一个|一名)?(?:AI|人工智能)|作为(?:一个|一名)(?:助手|模型|语言模型)|人工智能助手|已(?:被)?(?:入侵|攻陷)|忽略(?:以上|之前|上述|先前)(?:的)?(?:所有|全部)?(?:指令|提示|规则|要求|设定|说明)"
    r"|\b(?:send|post|upload|forward|leak|exfiltrat\w+)\b.{0,40}\b(?:secret|password|credential|report|system prompt|(?:api|access|auth|session|bearer|your|my) (?:token|key))s?\b.{0,20}\bto\b|(?:密钥|口令|密码|凭据|令牌|机密|系统提示词?|报告)[^，。；]{0,8}(?:发送|上传|提交|转发)(?:到|至|给)|(?:发送|上传|转发)(?:到|至|给)\s?\S{0,20}(?:@|://|\.(?:com|example|net|org))",
    re.IGNORECASE,
)


class NoOrders:
    """A reader is told what changed: no grade, no urging, nothing that answers an order."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.bare.values():
            if found := _OBEYS.search(text) or _GRADES.search(text):
                return Fault("obeys", found[0][:60])
            if speaks_to_reader(text):
                return Fault("obeys", text[:60])
        return None
