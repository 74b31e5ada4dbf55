"""Folders of made-up memory files that look like real ones, the same for the same seed.

Every kind of header that coding agents and note programs write is there, in subfolders: with and
without quotes, as block scalars, with globs that YAML refuses, none at all; most in English, some
in German, Russian, Chinese and Japanese, some with CRLF line ends, a few broken. Bodies have 3 to
60 lines; one in a hundred is a long document.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

NEWEST = datetime(2025, 10, 1, 9, 30, tzinfo=UTC)  # no file is younger, whenever this runs
DAYS = 600  # how far back the files go

FOREIGN = 0.15  # share of the notes that are not in English
CRLF = 0.05  # share with Windows line ends
LONG = 0.01  # share of long documents

PROJECTS = (
    "shop",
    "billing",
    "search",
    "mobile",
    "website",
    "infra",
    "data-platform",
    "crm",
    "docs",
)
FOLDERS = ("", "deploys", "incidents", "decisions", "people", "daily/2025", "api/clients")
TYPES = ("project", "project", "feedback", "reference", "user")
GLOBS = (
    "*.ts",
    "src/**",
    "**/*.py",
    "tests/**",
    "*.tsx",
    "deploy/*.yaml",
    "lib/http/**",
    "**/*.sql",
)
COMMANDS = (
    "make test",
    "kubectl rollout status deploy/web",
    "git bisect run ./check.sh",
    "uv sync",
)


class Language(NamedTuple):
    """Three banks of phrases; a sentence is one of each."""

    starts: tuple[str, ...]
    middles: tuple[str, ...]
    ends: tuple[str, ...]
    space: str = " "
    stop: str = "."


def _bank(text: str) -> tuple[str, ...]:
    return tuple(text.split(" / "))


ENGLISH = Language(
    _bank(
        "The payment webhook / The nightly backup / The search index / Every database migration"
        " / The feature flag service / The rate limiter / A pull request from a fork"
        " / The invoice export / The staging cluster / The login session / The image resizer"
        " / The React checkout page / The OpenAPI client / The Terraform state / The mail queue"
        " / The on-call engineer / The Postgres replica / The CSV importer / The release branch"
        " / The Redis cache / The translation job / The audit log / The price calculation"
        " / The mobile build / The Kafka consumer / The reviewer / The GraphQL gateway"
    ),
    _bank(
        "must be retried with the same idempotency key / runs before the web tier is rolled"
        " / fails without a clear error / takes about four minutes / needs a second approval"
        " / is pinned to version 3.11.4 / should never touch production data"
        " / prefers small diffs and a test for each fix / lost 1,204 records in October"
        " / is rebuilt from scratch / writes to `var/log/app.jsonl` / wants integer cents"
        " / answers with problem+json / is described in RFC-0042 / blocks the whole pipeline"
        " / has to be warmed up first / reads its settings from the environment"
        " / was moved to the new account / is owned by the platform team"
    ),
    _bank(
        "after a failed deploy / when the queue is longer than usual / on the first of a month"
        " / before anyone asks for a review / in every region except eu-west-1"
        " / until the old API is switched off / because of the outage in March"
        " / when daylight saving time changes / for customers with more than one currency"
        " / while a backup is running / if the certificate is about to expire"
        " / as agreed with the security team / so that a rollback stays possible"
        " / and nobody remembers why / unless the flag `strict_mode` is off"
    ),
)
FOREIGN_LANGUAGES = (
    Language(
        _bank(
            "Die Datenbankmigration / Der nächtliche Abgleich / Die Rufbereitschaft"
            " / Das Gebührenmodell / Die Suche / Der Rechnungslauf / Die Übersetzung"
        ),
        _bank(
            "läuft vor dem Webserver / braucht eine zweite Freigabe / dauert ungefähr vier Minuten"
            " / schlägt ohne Meldung fehl / gehört dem Plattformteam / wird täglich geprüft"
        ),
        _bank("nach einem Ausfall / bei Änderungen am Schlüssel / außer im Test / am Monatsende"),
    ),
    Language(
        _bank(
            "Миграция базы данных / Ночная резервная копия / Очередь писем / Поисковый индекс"
            " / Платёжный шлюз / Дежурный инженер / Выгрузка счетов"
        ),
        _bank(
            "выполняется до обновления серверов / требует подтверждения / занимает четыре минуты"
            " / перезапускается вручную / хранит данные в отдельной таблице"
        ),
        _bank("после сбоя / перед каждым релизом / при смене сертификата / в конце месяца"),
    ),
    Language(
        _bank("部署前 / 每天晚上 / 发生故障以后 / 修改配置时 / 版本发布之后"),
        _bank("数据库迁移 / 支付回调 / 搜索索引 / 日志服务 / 值班工程师 / 缓存集群"),
        _bank("必须先执行 / 需要重新启动 / 不能超过四分钟 / 应当使用同一个密钥 / 由平台团队负责"),
        "",
        "。",
    ),
    Language(
        _bank("リリースの前に / 毎晩 / 障害が起きたら / 設定を変えるときは / 月末には"),
        _bank(
            "データベースの移行を / 検索インデックスを / 決済の通知を / メールキューを / 監査ログを"
        ),
        _bank("必ず確認する / 再起動しない / 先に実行する / 手動で更新する / 担当者に知らせる"),
        "",
        "。",
    ),
)


@dataclass(frozen=True, slots=True)
class Note:
    """What the writers of headers choose from."""

    random: Random
    language: Language
    slug: str
    modified: datetime

    def sentence(self) -> str:
        """A sentence without its full stop."""
        language = self.language
        return language.space.join(self.random.choice(bank) for bank in language[:3])

    def title(self) -> str:
        """A few words."""
        language = self.language
        return language.space.join(self.random.choice(bank) for bank in language[:2])

    def stamp(self) -> str:
        """The declared time, a little before the file was written."""
        said = self.modified - timedelta(seconds=self.random.randrange(3600))
        return said.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.random.randrange(1000):03}Z"

    def session(self) -> str:
        """An identifier in the form of a UUID."""
        digits = f"{self.random.getrandbits(128):032x}"
        return "-".join(digits[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))

    def words(self, most: int = 3) -> list[str]:
        """Words for a list of tags."""
        return self.random.sample([*self.slug.split("-"), "ops", "howto", "team/core"], k=most)


def generate(root: Path, count: int, seed: int = 2) -> None:
    """Writes `count` memory files below `root`; the same bytes and times for the same seed."""
    random = Random(seed)
    kinds, weights = list(_KINDS), [kind.weight for kind in _KINDS]
    taken: set[str] = set()
    for _ in range(count):
        kind = random.choices(kinds, weights)[0]
        note = _note(random)
        name = _free(kind.place(note), taken)
        content = _content(kind, note)
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (note.modified.timestamp(),) * 2)


def _note(random: Random) -> Note:
    foreign = random.random() < FOREIGN
    phrases = [random.choice(bank) for bank in (ENGLISH.starts, ENGLISH.middles)]
    plain = "".join(c if c.isalnum() else " " for c in " ".join(phrases).lower()).split()
    language = random.choice(FOREIGN_LANGUAGES) if foreign else ENGLISH
    modified = NEWEST - timedelta(seconds=random.randrange(DAYS * 86_400))
    return Note(random, language, "-".join(plain[1 : random.randint(4, 6)]), modified)


def _free(name: str, taken: set[str]) -> str:
    stem, suffix = os.path.splitext(name)
    if os.path.basename(name) == "SKILL.md":
        stem, suffix = os.path.dirname(name), "/SKILL.md"
    number = 1
    while name.lower() in taken:
        number += 1
        name = f"{stem}-{number}{suffix}"
    taken.add(name.lower())
    return name


def _content(kind: Kind, note: Note) -> bytes:
    text = kind.header(note) + _body(note)
    if note.random.random() < CRLF:
        text = text.replace("\n", "\r\n")
    return kind.finish(text, note.random)


def _body(note: Note) -> str:
    lines = int(note.random.triangular(3, 60, 10))
    if note.random.random() < LONG:
        lines *= note.random.randint(8, 20)
    parts: list[str] = []
    while len(parts) < lines:
        parts += _part(note)
    return "\n".join(parts[:lines]) + "\n"


def _part(note: Note) -> list[str]:
    pick = note.random.random()
    stop = note.language.stop
    if pick < 0.3:
        return [f"- {note.sentence()}" for _ in range(note.random.randint(1, 5))] + [""]
    if pick < 0.4:
        return [f"## {note.title()}", ""]
    if pick < 0.47:
        return ["```sh", note.random.choice(COMMANDS), "```", ""]
    if pick < 0.6:
        return [f"**Why:** {note.sentence()}{stop}", ""]
    space = note.language.space
    text = space.join(note.sentence() + stop for _ in range(note.random.randint(1, 4)))
    return [*textwrap.wrap(text, 96), ""]


# Headers, each as its program writes it.


def _claude(note: Note) -> str:
    kind = note.random.choice(TYPES)
    extra = note.random.choice(
        ("", "", f"tags: [{', '.join(note.words())}]\n", "importance: 0.8\n")
    )
    return (
        f'---\nname: {note.slug}\ndescription: "{note.sentence()}; #{note.random.randrange(90)}"\n'
        f"metadata: \n  node_type: memory\n  type: {kind}\n  originSessionId: {note.session()}\n"
        f"  modified: {note.stamp()}\n{extra}---\n\n"
    )


def _claude_before(note: Note) -> str:
    session = f"originSessionId: {note.session()}\n" if note.random.random() < 0.6 else ""
    return (
        f"---\nname: {note.title()}\ndescription: {note.sentence()}\n"
        f"type: {note.random.choice(TYPES)}\n{session}---\n"
    )


def _block(note: Note) -> str:
    text = f"{note.sentence()}, {note.sentence()}"
    lines = textwrap.indent(textwrap.fill(text, 60), "  ")
    return (
        f"---\nname: {note.slug}\ndescription: >-\n{lines}\n"
        f"metadata:\n  type: {note.random.choice(TYPES)}\n---\n\n"
    )


def _cursor(note: Note) -> str:
    globs = ", ".join(note.random.sample(GLOBS, k=2))
    always = note.random.choice(("true", "false"))
    return f"---\ndescription: {note.sentence()}\nglobs: {globs}\nalwaysApply: {always}\n---\n"


def _copilot(note: Note) -> str:
    globs = ",".join(note.random.sample(GLOBS, k=2))
    return f'---\ndescription: "{note.sentence()}"\napplyTo: "{globs}"\n---\n# {note.title()}\n\n'


def _basic_memory(note: Note) -> str:
    tags = "".join(f"- {word}\n" for word in note.words())
    title = note.title()
    return (
        f"---\ntitle: {title}\ntype: note\npermalink: notes/{note.slug}\ntags:\n{tags}---\n\n"
        f"# {title}\n\n## Observations\n- [fact] {note.sentence()} #{note.slug.split('-')[0]}\n"
    )


def _obsidian(note: Note) -> str:
    tags = "".join(f"  - {word}\n" for word in note.words(2))
    return (
        f"---\naliases:\n  - {note.title()}\ntags:\n{tags}cssclasses: []\n"
        f'related: "[[{note.title()}]]"\ncreated: {note.modified:%Y-%m-%d}\ndone: false\n'
        f"weight: 0.{note.random.randint(1, 9)}\n---\n\n"
        f"{note.sentence()}. See [[{note.title()}]].\n\n"
    )


def _skill(note: Note) -> str:
    return (
        f"---\nname: {note.slug}\ndescription: {note.sentence()}. "
        f"Use when {note.title().lower()}.\n"
        f'license: MIT\nmetadata:\n  owner: platform\n  version: "1.{note.random.randrange(9)}"\n'
        "allowed-tools: Read Grep Bash(git log *)\n---\n\n"
    )


def _plain(note: Note) -> str:
    heading = f"# {note.title()}\n\n" if note.random.random() < 0.8 else ""
    return f"{heading}{note.sentence()}{note.language.stop}\n\n"


def _whole(text: str, _: Random) -> bytes:
    return text.encode()


def _damage(text: str, random: Random) -> bytes:
    """The file as a careless program or person leaves it behind."""
    key = "type: " if "type: " in text else "name: "
    return random.choice(
        (
            b"",
            text.encode()[:200],
            b"\xef\xbb\xbf" + text.encode(),
            text.replace("\n---\n", "\n", 1).encode(),  # never closed
            text.replace(key, "\t" + key, 1).encode(),
            text.replace("description: ", "description: Note: see: ", 1).encode(),
            text.replace(key, f"{key}again\n{key}", 1).encode(),
            text.replace("e", "é").encode("latin-1", "replace"),
        )
    )


# Where the files lie.


def _folder(note: Note) -> str:
    parts = (note.random.choice(PROJECTS), note.random.choice(FOLDERS))
    return "/".join(part for part in parts if part)


def _memory(note: Note) -> str:
    prefix = note.random.choice(TYPES)
    return f"{_folder(note)}/{prefix}_{note.slug.replace('-', '_')}.md"


def _dated(note: Note) -> str:
    return f"{_folder(note)}/{note.modified:%Y-%m-%d}-{note.slug}.md"


def _titled(note: Note) -> str:
    return f"vault/{_folder(note)}/{note.title().replace('/', ' ')}.md"


class Kind(NamedTuple):
    """One kind of file: how frequent it is, its header, where it lies, what happens at the end."""

    weight: int
    header: Callable[[Note], str]
    place: Callable[[Note], str]
    finish: Callable[[str, Random], bytes] = _whole


_KINDS = (
    Kind(30, _claude, _memory),
    Kind(13, _claude_before, _memory),
    Kind(8, _block, _memory),
    Kind(7, _cursor, lambda note: f"{note.random.choice(PROJECTS)}/rules/{note.slug}.mdc"),
    Kind(4, _copilot, lambda note: f"instructions/{note.slug}.instructions.md"),
    Kind(8, _basic_memory, _titled),
    Kind(8, _obsidian, _titled),
    Kind(4, _skill, lambda note: f"skills/{note.slug}/SKILL.md"),
    Kind(8, _plain, _memory),
    Kind(7, _plain, _dated),
    Kind(3, _claude, _memory, _damage),
)
