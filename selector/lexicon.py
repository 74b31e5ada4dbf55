"""What is known of words before any memory was seen: which tell little, which warn, which explain.

The lists are ours, lower case, without accents (as `words.plain` gives them), and short on
purpose: idf finds out what is common in a folder, but a small folder knows too little.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import lru_cache

from selector.patterns import lazy
from selector.words import is_dense


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What every question says: little is learned from a note that says it too.
_FUNCTION = _listed(
    """
    a about after again all already also am an and any are as at be because been before being but by
    can continue could d did do does doing don done each either else ever every few for from get
    gets give go going got had has have having he her here hers him his hi how i if in instead into
    is isn it its just kind know let like ll look lot m make makes many may maybe me might mine more
    most much must my need needs no none not nothing now of off often ok okay on once one only onto
    or other our ours out over own per please put quite rather re really right s same say says see
    seem set she should since so some something soon still such sure t take tell than thank thanks
    that the their them then there these they thing things this those though through till to too try
    two under until up upon us use used uses using ve very via want wants was way we well went were
    what when where whether which while who whom whose why will with within without won work works
    would yes yet you your yours
    bonjour ciao hallo hello hey hola ola salut
    aber als am an auch auf aus bei beim bin bis bitte da damit dann darf das dass dem den der des
    dich die dies diese dieser dir doch dort du durch ein eine einem einen einer eines er es etwas
    euch fur gibt haben hat hier ich ihr im in ist ja jetzt kann kein keine konnen man mal mehr mein
    mich mir mit mussen muss nach nicht noch nun nur ob oder ohne schon sehr sein sich sie sind so
    soll sollen uber um und uns unser unter vom von vor wann war warum was wegen welche welcher
    welches wenn wer werden wie wieder wieso will wir wird wo zu zum zur
    ai as au aux avec avoir c ce cela ces cet cette ceux chez ci comme comment d dans de des donc
    du elle en encore est et etre eu faire fait faut il ils j je l la le les leur lui mais me mes
    mon n ne nos notre nous on ont ou par pas peut peux plus pour pourquoi qu quand que quel quelle
    quelles quels qui quoi sa sans se ses si son sont sous sur ta te tes toi ton tout toute toutes
    tous tu un une va vers vos votre vous y
    al algo ante cada como con cual cuales cuando cuanto de del desde donde dos e el ella ellos en
    entre era es esa ese eso esta estan este esto fue ha hace hacer han hasta hay la las le les lo
    los mas me mi mis muy nada ni nos o otra otro para pero por porque puede puedo que quien se ser
    si sin sobre solo son soy su sus tambien te tengo tiene todo todos tu un una uno ya yo
    ao aos as com da das do dos ela ele em essa esse esta este eu foi isso isto ja mais mas meu
    minha na nao nas no nos nossa nosso num numa os ou pela pelo pode qual quais quando quem sao seu
    sua tem ter uma voce
    che chi ci come cosa cui dal dalla degli dei del della delle di dove e gli ho i il io la le lo
    ma mi nel nella non per perche piu puo quale quali quando quanto quello questa questo sono sta
    su sul sulla un una
    aan als bij dat de deze dit een en er geen heb heeft het hoe ik in is je kan maar met mijn moet
    naar niet nog of om ons ook op te tot uit van voor waar waarom wanneer wat we wel welke wie wij
    wordt ze zijn
    albo ale bo byc byl co czy dla do gdzie i jak jaki jakie jako jest juz kiedy kto ktora ktore
    ktory ma moze mozna na nad nie niz o od oraz po pod przez przy sa sie tak te tego ten to tu tym
    w we z za ze
    ama ben bir bu bunu cok da daha de diye en gibi icin ile kadar ki mi mu nasil ne neden nerede o
    olan olarak sen siz su var ve veya ya
    а без бы был была были было быть в вам вас ведь во вот все всех вы где да для до его ее если
    есть еще же за и из или им их к как какая какие какои какую когда кто ли лучше мне может можно
    мои моя мы на над надо нам нас наш не него нее нет ни них но нужно о об он она они оно от очень
    по под почему при про с сам сеичас со так такои там те тебе теперь то тоже только тот ту ты у
    уже чем через что чтобы эта эти это этого этои этот я
    ان او اي التي الذي الى الان ام انا انت ايضا بعد بين حتى ثم عن على عند غير في قبل قد كان كم
    كيف كل لا لكن لم لماذا لن ليس ما متى مع من منذ نحن هذا هذه هل هم هنا هو هي و يا
    और का के की को क्या कर करने कि कैसे है हैं हो मैं में यह यहाँ वह से पर था नहीं लिए भी
    """
)
# What work on a computer says of everything: half a reason at most.
_GENERIC = _listed(
    """
    add answer app bug build call case change check code command commit copy create data day default
    delete directory doc document edit error example explain fail failed file find fix folder format
    help issue job last line link list message name new next note notes number old open option order
    output page part please print problem project prompt question read reference remove rename
    repeat replace rule rules run script search send server service setup show start status step
    stop string style system table task team test text time today tool tools type update usage user
    value version warning week word write year yesterday tomorrow
    anderung anzeigen aufgabe befehl beispiel datei dateien fehler frage heute liste name neue neu
    projekt schreibe test version zeige zeile
    ajouter code commande erreur exemple fichier fichiers ligne liste nom nouveau projet test
    archivo archivos codigo comando ejemplo error lista nombre nuevo proyecto prueba
    добавь команда код ошибка проект список строка тест фаил файл
    """
)
# Where a tool bites.
_WARNING = _listed(
    """
    warning warnings warn gotcha gotchas caution careful beware pitfall pitfalls caveat caveats trap
    danger dangerous never avoid
    warnung achtung vorsicht falle attention avertissement piege prudence cuidado advertencia
    aviso atencion atencao attenzione avviso waarschuwing ostrzezenie uwaga uyari dikkat
    внимание осторожно предупреждение تحذير انتبه
    注意 警告 当心 小心 陷阱 危険 주의 경고
    """
)
# How a tool is called.
_USAGE = _listed(
    """
    usage syntax cheatsheet cheat arguments args commands options flags parameters examples manual
    howto cli reference befehle aufruf referenz syntaxe commandes utilisation sintaxis comandos uso
    команды справка синтаксис 用法 命令 参数 語法 用例 引数 使い 사용 명령
    """
)
_PARTICLES = frozenset(
    "的了是吗嗎呢吧在和与與就都也不么麼什怎我你他她它们們这這那哪个個有会會要能可以"
)
_KANA = lazy(r"[\u3041-\u309f]")


@lru_cache(maxsize=4096)
def weight(word: str) -> float:
    """How much a word may tell apart, 0 to 1, before any memory was seen."""
    if word in _FUNCTION or (len(word) == 1 and word.isascii()):
        return 0.1
    if word.isdecimal():
        return 0.4  # an id or a count: what the question is about, seldom what a memory knows
    if word in _GENERIC or (word[-1] == "s" and word[:-1] in _GENERIC):
        return 0.5
    return _pair_weight(word) if is_dense(word) else 1.0


def _pair_weight(pair: str) -> float:
    """Two characters are a word of Chinese, half of a Korean one, a sixth of a Thai phrase."""
    if spelled(pair):
        return 0.15
    if "\uac00" <= pair[0] <= "\ud7af":
        return 0.5
    return 1.0 if _PARTICLES.isdisjoint(pair) and not _KANA.search(pair) else 0.2


def spelled(word: str) -> bool:
    """Whether a pair of characters is of a script that spells sounds: kana, Thai and its kin."""
    return len(word) == 2 and is_dense(word) and word[0] < "\u3400"


def warns(words: AbstractSet[str]) -> bool:
    """Whether a text of these words says where something bites."""
    return not _WARNING.isdisjoint(words)


def explains(words: AbstractSet[str]) -> bool:
    """Whether a text of these words says how something is called."""
    return not _USAGE.isdisjoint(words)
