"""A Transformer on disk: where it lies, whether all of it is there, and the checksums that say which one it is; and the
families of Transformer classifiers that are known: where the parts of their last layer and classifier are.

Nothing here imports the library `transformers`, since a run is planned without it; `opening` loads the model. What is
looked for: config.json, weights as safetensors, and a tokenizer. Other formats of weights are refused: to read them
may run code.

Encoders classify the first token of a text (Devlin et al. 2019; Liu et al. 2019; Conneau et al. 2020; Lan et al. 2020;
Clark et al. 2020; Sanh et al. 2019; Song et al. 2020; He et al. 2023; Warner et al. 2024). Decoders classify the last
token, which alone has read the whole text (Radford et al. 2019; Touvron et al. 2023; Jiang et al. 2023; Qwen Team
2024). Models of other types are run to find these parts (`model.found_classifier`).
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from attention_audit.artefacts.files import checksum
from attention_audit.errors import AuditError
from attention_audit.yaml_input import read_package_yaml

CONFIG = "config.json"
GENERIC = "LABEL_"
"""What the library calls class 0 where nobody named it, less its number."""
ADAPTER = "adapter_config.json"
WEIGHTS_FILE = "model.safetensors"
INDEX = "model.safetensors.index.json"
"""Names the files of weights that are cut into several."""
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "pytorch_model.pt")
SETFIT_FILES = ("model_head.pkl", "config_setfit.json")
VOCABULARIES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model",
)  # fmt: skip
"""Files of which a tokenizer has at least one."""
TOKENIZER = (*VOCABULARIES, "merges.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
ADDED_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
ADDED_KEY = re.compile("^added_tokens|_tokens?$")
"""Files of a tokenizer that have its special and added tokens, and the keys under which they do."""
DIGITS, MAX_NUMBERED = re.compile(r"\d+"), 100
REFUSED_KINDS = {
    "auto_map": (
        "the model comes with code of its own, which is not run here",
        "use judge; or take the key away, if the library's own class computes the same",
    ),
    "quantization_config": (
        "the weights are quantised, and not read here",
        "take the model as it was before, or judge",
    ),
    "is_encoder_decoder": ("it has an encoder and a decoder apart", "name a model that is one of them, or use judge"),
}
"""Keys of config.json by which a model is not what is read here, and what to do."""
ASK_ONE = "ask of its `targets`, by name or all"
HUB_ID = r"[\w.-]+(?:/[\w.-]+)?"
MIRROR = "ATTENTION_AUDIT_MIRROR"
"""The environment variable in which jobs are told of the mirror."""
ENCODER = "transformer.path"
"""The key of the configuration that names the Transformer of the encoders."""
NOT_INSTALLED = "Transformers need the library `transformers`, an extra that is not installed here"
INSTALL_HINT = 'install it with: python -m pip install --editable ".[transformers]"'


CLASSIFIER = "ForSequenceClassification"
"""How the class of a classifier of texts ends, as config.json names it."""
LANGUAGE = ("ForCausalLM", "LMHeadModel")
"""How that of a language model may end."""


MEAN_POOLING = ("mean", "late")
"""Where config.json names one of these, a classifier reads the mean of the states, or of their logits."""


class Facts(NamedTuple):
    """What config.json says: the model's type, the width of its states, its layers, labels by class, the heads of a
    layer, 0 where that is not known; and all of it.
    """

    kind: str
    width: int
    layers: int
    labels: dict[int, str]
    heads: int = 0
    says: Mapping[str, Any] = {}

    @property
    def mean(self) -> bool:
        """Tell whether a classifier reads the mean of the states of all tokens, and not the state of one."""
        return self.says.get("classifier_pooling") in MEAN_POOLING


class Family(NamedTuple):
    """Where the parts of a classifier lie: the layers; in a layer, its attention, queries, keys, values, and parts of
    the tail by their names there; above them, the pooler, "" where there is none, and the classifier, and the
    activation between, or the key of config.json that names it. Where queries, keys and values come from one part, they
    come in this order.

    dropped, output_dropped, outer_dropped: dropout of the attention weights, and of what `output` and `outer` return;
    "" where there is none.

    before: whether a layer normalises before its parts (`model.tail`); `second` is then above all layers. gate: what is
    multiplied with `inner` once its activation is taken, third: a normalisation above the pooler; "" where there is
    none, or where the gate is part of `inner`.

    asked: whether attention returns its weights only where config.json says so. last: whether the last token is
    classified. tuned: whether it can be fine-tuned here.
    """

    layers: str = ""
    pooler: str = ""
    classifier: str = ""
    pooled: str = ""
    attention: str = ""
    query: str = ""
    key: str = ""
    values: str = ""
    dropped: str = ""
    output: str = ""
    output_dropped: str = ""
    first: str = ""
    inner: str = ""
    outer: str = ""
    outer_dropped: str = ""
    second: str = ""
    before: bool = False
    gate: str = ""
    third: str = ""
    asked: bool = False
    last: bool = False
    tuned: bool = False


FAMILIES: Mapping[str, Family] = {
    kind: Family(**parts) for kind, parts in read_package_yaml(Path(__file__).with_name("families.yaml")).items()
}
"""By `model_type` of config.json."""
BY_INTERFACE = Family(before=True)
"""Any other, whose parts are found where its layers call the library's attention interface."""
KNOWN_VALUES = {"conv_kernel_size": 0, "inner_group_num": 1}
"""Keys of config.json by which a model of a known type has layers of another kind, with the value that is known."""


class HeldModel(NamedTuple):
    """A tokenizer in memory, and perhaps a model, in the place of the files of a folder.

    name: the folder, or what else messages call the model. model: what its user calls; None where the folder has it.
    source: the model whose weights are read: `model`, or a copy of it into which its adapters are merged. config: what
    its config.json would say. pipeline: what its user calls in the place of the model, if it was given as one.
    """

    name: str
    tokenizer: Any
    model: Any = None
    source: Any = None
    config: Mapping[str, Any] = {}
    pipeline: Any = None

    def __str__(self) -> str:
        return self.name


Home = Path | HeldModel
"""Where a Transformer is: a folder, or memory."""


def refuse_unless_installed() -> None:
    """Raise AuditError where the library `transformers` is not installed; it is not imported."""
    if find_spec("transformers") is None:
        raise AuditError("", NOT_INSTALLED, INSTALL_HINT)


def find_hub_folder(name: str) -> Path | None:
    """Find the folder of a model in the cache of the Hugging Face hub: of its branch `main`; None where it is not
    there.
    """
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    model = cache / f"models--{name.replace('/', '--')}"
    try:
        snapshot = model / "snapshots" / (model / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return snapshot if snapshot.is_dir() else None


def find_folder(path: str, key: str, mirror: Path | None = None) -> Path:
    """Find the folder that a key of the configuration names: here, in the mirror, or in the cache of the Hugging Face
    hub. mirror: None in a job, which is told of it.

    Raises AuditError, naming the key, where there is none.
    """
    mirror = mirror or find_mirror()
    candidates = [Path(path), *([mirror / path] if mirror else [])]
    folder = next((candidate for candidate in candidates if candidate.is_dir()), None)
    if folder is None and re.fullmatch(HUB_ID, path):
        folder = find_hub_folder(path)
    if folder is None:
        raise AuditError(
            key,
            f"no such folder, and no model of this name in the cache of the Hugging Face hub: {path}",
            f"mend the path, or fetch the model once where there is a network, with: hf download {path}",
        )
    return folder


@contextmanager
def use_mirror(mirror: str | None) -> Iterator[None]:
    """Tell of the mirror in the block as a job is told of it; None: as it is."""
    before = os.environ.get(MIRROR)
    os.environ.update({} if mirror is None else {MIRROR: mirror})
    try:
        yield
    finally:
        os.environ.pop(MIRROR, None)
        os.environ.update({} if before is None else {MIRROR: before})


def find_mirror() -> Path | None:
    """Find the mirror of the run that a job is part of; None where there is none."""
    mirror = os.environ.get(MIRROR)
    return Path(mirror) if mirror else None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_bytes())
    except OSError as error:
        raise AuditError(str(path), f"cannot be read ({error.strerror})", "name a folder that has it") from error
    except ValueError as error:
        raise AuditError(str(path), "is no JSON", "take the file as it was published") from error
    if not isinstance(values, dict):
        raise AuditError(str(path), "holds no group of keys", "take the file as it was published")
    return values


def suggest_for_content(folder: Path) -> str:
    """Say what to give in the place of a folder that other tools, or the library's Trainer, wrote; "" of any other."""
    if any((folder / name).is_file() for name in SETFIT_FILES):
        return "it is a folder of SetFit: use judge with predict_proba of SetFitModel.from_pretrained(folder)"
    if (folder / "modules.json").is_file():
        return "it is a folder of sentence-transformers, without a classifier: use judge with the one on top of it"
    # the last one has the highest number
    checkpoints = sorted((path.name for path in folder.glob("checkpoint-*")), key=lambda name: (len(name), name))
    return f"name one of the folders in it, such as {checkpoints[-1]}" if checkpoints else ""


def _refuse_without_config(folder: Path) -> None:
    """Raise AuditError where a folder has no config.json, or an adapter beside it."""
    if (folder / ADAPTER).is_file():
        raise AuditError(
            str(folder),
            "holds an adapter, such as LoRA's, and not the whole model",
            "merge it into its model once, and name the folder that this writes: "
            "model.merge_and_unload().save_pretrained(folder)",
        )
    if not (folder / CONFIG).is_file():
        fault = f"has no {CONFIG}, so it is no folder of a Transformer"
        raise AuditError(str(folder), fault, suggest_for_content(folder) or "name another one")


def read_model_facts(home: Home) -> Facts:
    """Read what config.json says. Raises AuditError where it cannot be read, or lacks what is needed here."""
    path: Home
    values: Mapping[str, Any]
    if isinstance(home, HeldModel) and home.config:
        path, values = home, home.config
    else:
        folder = Path(str(home))
        _refuse_without_config(folder)
        path = folder / CONFIG
        values = _read_json(path)

    # of a model of texts and images, those of texts
    said = {**(values.get("text_config") or {}), **values}

    def get_first(*names: str) -> Any:
        return next((said[name] for name in names if name in said), None)

    kind = values.get("model_type")
    width = get_first("hidden_size", "dim", "d_model", "n_embd")
    layers = get_first("num_hidden_layers", "n_layers", "num_layers", "n_layer")
    if not isinstance(kind, str):
        raise AuditError(str(path), "says no model_type", "name the folder of a Transformer")
    for key, (fault, remedy) in REFUSED_KINDS.items():
        if values.get(key):
            raise AuditError(str(path), f"{fault} ({key})", remedy)
    if not isinstance(width, int) or not isinstance(layers, int):
        raise AuditError(
            str(path),
            f"a model of type {kind!r} without a hidden_size or num_hidden_layers is not known here",
            "use judge",
        )
    # the library leaves out names that it has given itself to two classes
    labels = values.get("id2label") or {number: f"{GENERIC}{number}" for number in range(values.get("num_labels", 2))}
    try:
        class_names = {int(number): str(label) for number, label in labels.items()} if isinstance(labels, dict) else {}
    except ValueError as error:
        raise AuditError(str(path), "id2label has keys that are no numbers", "mend them") from error
    heads = get_first("num_attention_heads", "n_heads", "n_head") or 0
    return Facts(kind=kind, width=width, layers=layers, labels=class_names, heads=heads, says=values)


def read_classes(home: Home) -> list[str]:
    """Return what a classifier calls its classes, in the order of its logits.

    Raises AuditError where they are not numbered from 0, where two have one name, and where label2id says otherwise.
    """
    facts, place = read_model_facts(home), str(home)
    names, numbers = [*facts.labels.values()], facts.says.get("label2id") or {}
    if sorted(facts.labels) != [*range(len(names))]:
        listed = ", ".join(map(str, sorted(facts.labels)))
        raise AuditError(place, f"id2label has the numbers {listed}", "number the classes from 0")
    if duplicates := [name for index, name in enumerate(names) if name in names[:index]]:
        raise AuditError(place, f"id2label has two classes {duplicates[0]!r}", "give each a name of its own")
    # some programs write numbers as texts
    if contradicted := [name for number, name in facts.labels.items() if str(numbers.get(name, number)) != str(number)]:
        fault = f"id2label and label2id give {contradicted[0]!r} different numbers"
        raise AuditError(place, fault, "mend one of them")
    return [facts.labels[number] for number in range(len(names))]


def list_weight_files(folder: Path) -> list[Path]:
    """List the files of weights. Raises AuditError where there are none as safetensors, or not all of them."""
    if (folder / WEIGHTS_FILE).is_file():
        return [folder / WEIGHTS_FILE]
    if (folder / INDEX).is_file():
        weight_map = _read_json(folder / INDEX).get("weight_map")
        shards = [folder / name for name in sorted(set(weight_map.values()))] if isinstance(weight_map, dict) else []
        missing = [shard.name for shard in shards if not shard.is_file()]
        if missing or not shards:
            raise AuditError(
                str(folder / INDEX), f"{missing[0] if missing else 'a file'} is not there", "save the model again"
            )
        return [folder / INDEX, *shards]
    pickles = [name for name in PICKLES if (folder / name).is_file()]
    if pickles:
        raise AuditError(
            str(folder),
            f"has its weights only as {pickles[0]}, a format that may run code when it is read",
            'if you trust the file, write them as safetensors once with: python -c "from transformers import '
            f"AutoConfig, AutoModel; import transformers; config = AutoConfig.from_pretrained('{folder}'); "
            f"getattr(transformers, config.architectures[0]).from_pretrained('{folder}').save_pretrained('{folder}')\"",
        )
    raise AuditError(
        str(folder), f"has no weights, which are looked for in {WEIGHTS_FILE}", "name a folder that has them"
    )


def list_tokenizer_files(folder: Path) -> list[Path]:
    """Return the files of a tokenizer. Raises AuditError where there is none."""
    if not any((folder / name).is_file() for name in VOCABULARIES):
        raise AuditError(
            str(folder),
            f"has no tokenizer (looked for {', '.join(VOCABULARIES)})",
            "save the model's own there, with: tokenizer.save_pretrained(folder)",
        )
    return [folder / name for name in TOKENIZER if (folder / name).is_file()]


def list_written(entry: Any) -> list[str]:
    """List how the tokens of an entry of a tokenizer's files are written: of a token, of several, or none."""
    if isinstance(entry, Mapping):
        return list_written(entry["content"] if "content" in entry else [*entry.values()])
    return [entry] if isinstance(entry, str) else [each for part in entry for each in list_written(part)]


def list_added_tokens(folder: Path) -> list[str]:
    """List the special and added tokens of a folder's tokenizer, less those of which so many differ by their number
    alone that they are a reserve that no text has. Raises AuditError where a file cannot be read.
    """
    tokens = set[str]()
    for name in ADDED_FILES:
        if not (folder / name).is_file():
            continue
        values = _read_json(folder / name)
        tokens |= {*values} if name == "added_tokens.json" else set()
        entries = [
            entry for key, entry in values.items() if ADDED_KEY.search(key) and isinstance(entry, str | list | dict)
        ]
        tokens |= {token.strip() for token in list_written(entries)} - {""}
    counts = Counter(DIGITS.sub("0", token) for token in tokens)
    return sorted(token for token in tokens if counts[DIGITS.sub("0", token)] <= MAX_NUMBERED)


def list_model_files(folder: Path, tokenizer: bool = True) -> list[Path]:
    """List the files that decide what a Transformer computes: its configuration, weights and, if asked, tokenizer.

    Raises AuditError where something is missing.
    """
    _refuse_without_config(folder)
    of_tokenizer = list_tokenizer_files(folder) if tokenizer else []
    return [folder / CONFIG, *list_weight_files(folder), *of_tokenizer]


def hash_model_files(folder: Path) -> dict[str, str]:
    """Compute the sha256 of each of `list_model_files`, by name. Raises AuditError where one is missing or cannot be
    read.
    """
    try:
        return {path.name: checksum(path) for path in list_model_files(folder)}
    except OSError as error:
        raise AuditError(error.filename, f"cannot be read ({error.strerror})", "unlock it or put it back") from error


def find_family(home: Home, facts: Facts | None = None) -> Family:
    """Find the family of a model. facts: what its config.json says, or will say.

    Raises AuditError where it differs from a known one by `KNOWN_VALUES`.
    """
    facts = facts or read_model_facts(home)
    if facts.kind not in FAMILIES:
        return BY_INTERFACE
    for key, expected in KNOWN_VALUES.items():
        if (value := facts.says.get(key, expected)) != expected:
            fault = f"config.json says {key}: {value}; for {facts.kind}, {expected} alone is known here"
            raise AuditError(str(home), fault, "use judge")
    return FAMILIES[facts.kind]


def find_classifier_family(
    home: Home, facts: Facts | None = None, prompted: bool = False, choosing: bool = True
) -> Family:
    """Find that of a classifier of texts, or of a language model that is prompted for a class. choosing: whether it has
    to choose one class.

    Raises AuditError, too, where config.json says another task.
    """
    facts = facts or read_model_facts(home)
    family = find_family(home, facts)
    if prompted and not family.last and family is not BY_INTERFACE:
        decoders = ", ".join(name for name, each in FAMILIES.items() if each.last)
        raise AuditError(
            str(home), f"a model of type {facts.kind!r} reads no prompt", f"take a decoder, one of {decoders}"
        )
    class_name = (facts.says.get("architectures") or [CLASSIFIER])[0]
    if not class_name.endswith(LANGUAGE if prompted else CLASSIFIER):
        what = "language model" if prompted else "classifier of texts"
        auto = LANGUAGE[0] if prompted else CLASSIFIER
        raise AuditError(
            str(home),
            f"is no {what} but a {class_name}, as config.json says",
            suggest_for_content(Path(str(home))) or f"name a folder that was saved after training with AutoModel{auto}",
        )
    task = facts.says.get("problem_type") or ("regression" if len(facts.labels) == 1 else "")
    if choosing and not prompted and task in ("regression", "multi_label_classification"):
        raise AuditError(str(home), f"its task is {task.replace('_', ' ')}, and no choice of one class", ASK_ONE)
    return family


def find_tuned_family(folder: Path, facts: Facts) -> Family:
    """Find that of an encoder that is to be fine-tuned. Raises AuditError, too, where that is not known."""
    family = find_family(folder, facts)
    if not family.tuned:
        kinds = ", ".join(name for name, each in FAMILIES.items() if each.tuned)
        raise AuditError(
            str(folder),
            f"a model of type {facts.kind!r} can be read here, and not be fine-tuned",
            f"fine-tune it elsewhere and name its folders under `models`, or take one of {kinds}",
        )
    return family
