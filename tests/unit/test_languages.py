"""Words of each language that is known here, counted by hand; and how the language of texts is found."""

import pytest
import spacy
from refusal import refusal

from attention_audit.corpus.languages import (
    LANGUAGES,
    choose_tokens,
    find_foreign,
    find_language,
    find_unspaced,
    list_frequent,
)
from attention_audit.corpus.tokens import CHARACTERS, Tokens, build_pipeline, describe_splitting, split_words

BY_HAND = {
    "en": "the old café was good .",
    "de": "der große film war schön .",
    "fr": "le film était très bien !",
    "es": "la película fue más larga .",
    "it": "la città è più bella .",
    "pt": "não gostei da história .",
    "nl": "de coördinatie was goed .",
    "da": "filmen var ikke så god .",
    "sv": "filmen var inte så bra .",
    "nb": "filmen var ikke så bra .",
    "fi": "elokuva oli hyvä .",
    "pl": "ten film był świetny .",
    "cs": "ten film byl skvělý .",
    "hu": "a film nagyon jó volt .",
    "ro": "filmul a fost plăcut și lung .",
    "tr": "bu film çok güzel değil .",
    "id": "film ini sangat bagus .",
    "hr": "ovaj film je vrlo dobar .",
    "vi": "tôi|thích|phim|việt nam|.",
    "ru": "этот фильм был хорошим .",
    "uk": "мені сподобалася м'ята .",
    "bg": "филмът беше добър .",
    "sr": "овај филм је добар .",
    "mk": "овој филм е добар .",
    "ar": "هَذَا فِيلْمٌ جَمِيلٌ جِدًّا .",
    "fa": "این فیلم را نمی\u200cخواهم .",
    "ur": "یہ فلم بہت اچھی ہے ۔",
    "hi": "मुझे हिन्दी फ़िल्म अच्छी लगी ।",
    "mr": "मला हा चित्रपट आवडला .",
    "ne": "मलाई यो चलचित्र मन पर्यो ।",
    "bn": "আমি এই ছবিটি পছন্দ করেছি ।",
    "ta": "இந்தப் படம் நன்றாக இருந்தது .",
    "te": "ఈ సినిమా చాలా బాగుంది .",
    "kn": "ಈ ಚಿತ್ರ ಚೆನ್ನಾಗಿದೆ .",
    "ml": "ഈ സിനിമ വളരെ നല്ലതാണ് .",
    "gu": "આ ફિલ્મ ખૂબ સારી છે .",
    "si": "මෙම චිත්\u200dරපටය හොඳයි .",
    "he": 'הַסֶּרֶט שֶׁל צה"ל טוֹב .',
    "el": "η ταινία ήταν καλή .",
    "hy": "այս ֆիլմը լավն էր ։",
    "am": "ይህ ፊልም ጥሩ ነው ።",
    "zh": "我|喜欢|北京|。",
    "ja": "この|映画|は|よい|。",
    "ko": "이|영화|는|좋|다|.",
    "th": "ฉัน|ชอบ|หนัง|.",
    "km": "ខ្ញុំ|មើ|ល|ភា|ព|។",
    "lo": "ຂ້|ອ|ຍ|ມັ|ກ|.",
    "my": "ကျွ|န်|တော်|။",
    "bo": "ང|ལ|གློག|བརྙན|།",
}
"""A sentence with one mark, at its end, as words; where none stand between them, with | in the place of spaces."""
PARTED = {"vi": " ", "bo": "་"}
PACKAGES = {"zh": "jieba", "ja": "sudachipy", "ko": "natto", "th": "pythainlp", "vi": "pyvi"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("punctuation", ["keep", "drop", "last"])
@pytest.mark.parametrize("code", BY_HAND)
def test_words_are_those_that_a_reader_counts(code, punctuation):
    if code in PACKAGES:
        pytest.importorskip(PACKAGES[code])
    spaced = BY_HAND[code]
    words = spaced.split("|" if "|" in spaced else " ")
    parting = PARTED.get(code, "" if "|" in spaced else " ")
    text = parting.join(words[:-1]) + words[-1]
    found = split_words(text, Tokens(tokenizer=code, punctuation=punctuation)).words
    assert found == (words[:-1] if punctuation == "drop" else words)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", ["zh", "km", "my", "lo"])
def test_words_of_other_scripts_stay_whole_among_single_characters(code):
    segmenter = {"segmenter": "characters"} if code == "zh" else {}
    one = BY_HAND[code][0]
    found = split_words(f"{one}iPhone 15{one}，Ünï", Tokens.model_validate({"tokenizer": code, **segmenter})).words
    assert found == [one, "iphone", "15", one, "，", "ünï"]


@pytest.mark.parametrize("code", ["km", "lo", "my", "bo"])
def test_languages_that_nothing_here_splits_are_characters_and_say_so(code):
    made = Tokens(tokenizer=code)
    name, items, _ = CHARACTERS[code]
    assert describe_splitting(made).startswith(
        f"{name} is split into single {items}, so that maps are of {items}; for words, "
    )
    assert Tokens.model_validate(made.model_dump()) == made
    first, last = (split_words(text, made).words for text in ("ខ្ញុំ។ ល។", "ខ្ញុំ។"))
    assert first[: len(last)] == last


def test_a_space_of_no_width_sets_words_of_khmer_apart():
    assert split_words("មើល\u200bភាពយន្ត", Tokens(tokenizer="spaces")).words == ["មើល", "ភាពយន្ត"]


@pytest.mark.parametrize(
    ("text", "keep", "drop", "last"),
    [
        ("so ❤️!", "so ❤️ !", "so", "so !"),
        ("so ❤️", "so ❤️", "so", "so ❤️"),
        ("👨\u200d👩\u200d👧👍🏽 x", "👨\u200d👩\u200d👧 👍🏽 x", "x", "x"),
        ("x 🇩🇪🇫🇷", "x 🇩🇪 🇫🇷", "x", "x 🇫🇷"),
        ("1️⃣ x", "1️⃣ x", "1️⃣ x", "1️⃣ x"),
        ("cafe\u0301-cre\u0300me", "café - crème", "café crème", "café crème"),
        ("İstanbul. so", "istanbul . so", "istanbul so", "istanbul so"),
        ("\ufeffso\u00adft \u200b \u2060!", "soft !", "soft", "soft !"),
        ("ինչո՞ւ", "ինչո՞ւ", "ինչո՞ւ", "ինչո՞ւ"),
        ("п’ять", "п’ять", "п’ять", "п’ять"),
        ("كتـــاب، جِدًّا", "كتـــاب ، جِدًّا", "كتـــاب جِدًّا", "كتـــاب جِدًّا"),
        ("x\u0301\u0323-y", "x\u0323\u0301-y", "x\u0323\u0301 y", "x\u0323\u0301 - y"),
    ],
)
def test_characters_of_several_signs_stay_whole(text, keep, drop, last):
    found = [split_words(text, Tokens(punctuation=each)).words for each in ("keep", "drop", "last")]
    assert [*map(" ".join, found)] == [keep, drop, last]


def test_capitals_of_turkish_and_their_places():
    text = "İSTANBUL'DA IŞIK"
    found = split_words(text, Tokens(tokenizer="tr", punctuation="drop"))
    assert found == (["istanbul", "da", "ışık"], [(0, 8), (9, 11), (12, 16)], [0])


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("zh", ["我喜欢这部电影，很好看。", "无聊"]),
        ("zh", ["我喜欢这部 iPhone 手机 and I say it", "很好看 不无聊"]),
        ("ja", ["この映画は本当に面白かった。"]),
        ("th", ["ฉันชอบหนังเรื่องนี้มาก สนุกจริงๆครับ"]),
        ("km", ["ខ្ញុំមើលភាពយន្តនេះ"]),
        ("lo", ["ຂ້ອຍມັກຮູບເງົາ"]),
        ("my", ["ကျွန်တော် ဒီရုပ်ရှင်ကိုကြိုက်တယ်"]),
        ("bo", ["ང་ལ་གློག་བརྙན་འདི་དགའ།"]),
        ("", ["我 喜欢 这 部 电影 ， 很 好看 。"]),
        ("", ["この 映画 は 本当 に 面白かっ た 。"]),
        ("", ["ฉัน ชอบ หนัง เรื่อง นี้ มาก"]),
        ("", ["이 영화는 정말 재미있었다."]),
        ("", ["I like 中国, and the rest of this text is English, as the letters tell"]),
        ("", ["word"]),
        ("", []),
    ],
)
def test_texts_without_spaces_are_found_by_their_script(code, texts):
    assert find_unspaced(texts) == code


LONGER = {
    "vi": "tôi thích bộ phim này và tôi sẽ xem lại với bạn bè",
    "cs": "ten film byl skvělý a já bych ho viděl znovu, protože mi o něm nikdo neřekl",
    "hi": "यह फिल्म बहुत अच्छी थी और मैं इसे फिर से देखूंगा",
}
"""Of languages whose frequent words are not in their sentence above."""


@pytest.mark.parametrize("code", [code for code in BY_HAND if code not in ("nb", "mk", "ar")])
def test_the_language_is_told_by_script_and_frequent_words(code):
    assert find_language([LONGER.get(code, BY_HAND[code].replace("|", ""))]) == (code, True)


def test_what_tells_no_language_is_no_sure_guess():
    for text, code in (("1 2 3", "en"), ("gazu memo litu", "en"), ("ⵎⴰⵎⵎⴰ", "xx")):
        assert find_language([text]) == (code, False)


GERMAN, FRENCH = "das ist ein Film, den ich nicht noch einmal sehen will", "c'est un film que je ne veux pas revoir"
ENGLISH = "this is a film that I do not want to see again"


@pytest.mark.parametrize(
    ("text", "code", "other"),
    [
        (GERMAN, "de", ""),
        (GERMAN, "en", "de"),
        (ENGLISH, "de", "en"),
        (FRENCH, "de", "fr"),
        ("das ist ein", "en", ""),
        ("Filmabend Popcorn Kino Leinwand Vorhang", "en", ""),
        ("это фильм, который я не хочу смотреть", "uk", "ru"),
        (GERMAN, "zh", ""),
        (GERMAN, "xx", ""),
        ("", "en", ""),
    ],
)
def test_a_text_of_another_language_of_the_script_is_told_by_its_frequent_words(text, code, other):
    assert find_foreign(text, code) == other


@pytest.mark.parametrize("code", [code for codes in LANGUAGES.values() if " " in codes for code in codes.split()])
def test_frequent_words_are_those_of_spacy(code):
    assert list_frequent(code) == spacy.util.get_lang_class(code).Defaults.stop_words


def test_a_language_may_be_named_and_is_else_found(monkeypatch):
    said = []

    def choose(texts, language=None, split=False):
        return choose_tokens(texts, language, split, said.append).tokenizer

    assert choose(["a film"]) == "en"
    assert choose(["un film"], "fr") == "fr"
    assert choose(["一部电影"], "spaces") == "spaces"
    assert choose(["a film"], split=True) == "spaces"
    assert said == []
    assert choose(["ខ្ញុំមើលភាពយន្តនេះ"]) == "km"
    assert choose(["我喜欢这部电影，很好看。"], split=True) == "spaces"
    assert said == [
        "texts: Khmer is split into single characters, so that maps are of characters; for words, use `spaces` and set "
        "some between words, as khmer-nltk can",
        "texts: words are whole clauses, since 'zh' has no spaces; give strings, which are split",
    ]
    for wrong in ("english", "../en", "ZH", 3):
        message = refusal(choose, ["a film"], wrong)
        assert message.startswith("language: unknown ")
        assert message.endswith("; give spaCy's code, such as en or zh, or `spaces`")
    message = refusal(choose, ["a film"], "en", split=True)
    assert message.startswith("language: the texts are lists of words already; leave it out")

    def fail(code, config):
        raise ImportError

    build_pipeline.cache_clear()
    monkeypatch.setattr(spacy, "blank", fail)
    assert refusal(choose, ["ฉันชอบหนังเรื่องนี้มาก"]) == (
        "language: Thai words are found by PyThaiNLP, which is not installed; install it (`python -m pip install "
        "pythainlp`), or give lists of words"
    )
