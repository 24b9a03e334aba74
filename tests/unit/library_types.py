"""Small models, of random weights, of the types of the library that classify texts."""

from copy import deepcopy
from functools import cache

import torch
import transformers
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES

TYPES = [*MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES]
CLASSES = ("a", "b", "c")
WIDTHS = (
    "hidden_size", "d_model", "n_embd", "dim", "emb_dim", "embedding_size", "word_embed_proj_dim", "true_hidden_size"
)  # fmt: skip
INNER = (
    "intermediate_size", "ffn_dim", "d_ff", "hidden_dim", "n_inner", "d_inner", "dff", "encoder_ffn_dim",
    "decoder_ffn_dim", "ffn_hidden_size", "moe_intermediate_size", "shared_expert_intermediate_size"
)  # fmt: skip
COUNTS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "num_decoder_layers"
)  # fmt: skip
HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
    "num_experts", "num_local_experts", "n_routed_experts", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"
)  # fmt: skip
SIZES = {
    **dict.fromkeys(WIDTHS, 16), **dict.fromkeys(INNER, 24), **dict.fromkeys(COUNTS, 2), **dict.fromkeys(HEADS, 4),
    "head_dim": 8, "num_key_value_heads": 2, "num_experts_per_tok": 2, "first_k_dense_replace": 1,
    "n_shared_experts": 1, "n_group": 1, "topk_group": 1, "kv_lora_rank": 8, "q_lora_rank": 8,
    "intra_bottleneck_size": 8, "max_position_embeddings": 64, "n_positions": 64, "n_ctx": 64, "type_vocab_size": 2,
    "initializer_range": 0.2, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3,
}  # fmt: skip
"""What configurations have that know these keys."""
LATENT = {"num_key_value_heads": 4, "head_dim": 4}
ROPE = {"rope_theta": 1e4, "rope_type": "default"}
FURTHER = {
    **dict.fromkeys(("axk1", "axk2", "deepseek_v2", "deepseek_v3", "minicpm3", "mistral4", "esmc"), LATENT),
    "cohere_compass_text": {"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 4},
    "gpt_neo": {"attention_types": [[["global"], 2]]},
    "gptj": {"rotary_dim": 4},
    "helium": {"head_dim": 4},
    "layoutlmv3": {"coordinate_size": 3, "shape_size": 2, "input_size": 16, "patch_size": 8},
    "lilt": {"hidden_size": 24, "num_attention_heads": 2},
    "luke": {"entity_vocab_size": 8},
    "mobilebert": {"true_hidden_size": 8},
    "xmod": {"default_language": "en_XX", "languages": ["en_XX"]},
    "ultrabert": {"classifier_pooling": "mean"},
}
OTHERWISE = {
    "falcon": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4},
    "reformer": {"axial_pos_embds": False, "attn_layers": ["local", "local"], "local_attn_chunk_length": 8},
    "xlnet": {"d_model": 16, "n_layer": 2, "n_head": 4, "d_inner": 24},
    "zamba": {
        "hidden_size": 16, "num_hidden_layers": 4, "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
        "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 24, "n_mamba_heads": 2
    },
    "zamba2": {
        "hidden_size": 16, "num_hidden_layers": 4, "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
        "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 24, "n_mamba_heads": 2,
        "mamba_headdim": 16
    },
}  # fmt: skip
"""Those whose configuration takes fewer keys than it has."""

SEEING = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
IMAGES = {
    "gemma3": SEEING | {"image_size": 28, "patch_size": 14},
    **dict.fromkeys(("modernvbert", "ultravbert"), SEEING | {"image_size": 32, "patch_size": 16}),
    "qwen3_5": {"hidden_size": 16, "intermediate_size": 24, "depth": 1, "num_heads": 2, "out_hidden_size": 16},
}
"""What those of texts and images have to see with."""


def take_sizes(config):
    return {key: value for key, value in SIZES.items() if hasattr(config, key)}


@cache
def make_config(kind, vocabulary):
    configuration = transformers.CONFIG_MAPPING[kind]
    default = configuration()
    sizes = take_sizes(default) | FURTHER.get(kind, {})
    if kind in IMAGES:
        text = take_sizes(default.text_config) | {
            "vocab_size": vocabulary,
            "model_type": default.text_config.model_type,
        }
        sizes = {"text_config": text, "vision_config": IMAGES[kind], "image_token_id": vocabulary - 1}
    named = {"id2label": dict(enumerate(CLASSES)), "label2id": {name: at for at, name in enumerate(CLASSES)}}
    return configuration(**OTHERWISE.get(kind, sizes) | named | {"vocab_size": vocabulary})


def make_model(kind, vocabulary, auto=transformers.AutoModelForSequenceClassification):
    """A model whose biases and normalisations do something, which are 0 and 1 else."""
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    # the attention of a model is a key of its configuration
    model = auto.from_config(deepcopy(make_config(kind, vocabulary))).eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 1:
                weight.add_(0.1 * torch.randn(weight.shape))
    return model
