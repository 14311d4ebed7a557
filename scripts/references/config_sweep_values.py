"""What config_sweep.py writes into the config.json of tiny models: sizes, and legal values that differ from them."""

COMMON = {"num_labels": 3}
BERT = dict(COMMON, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
            max_position_embeddings=40)
LLAMA = dict(BERT, num_key_value_heads=2)
SIZES = {
    "bert": BERT, "roberta": BERT, "xlm-roberta": BERT, "camembert": BERT,
    "distilbert": dict(COMMON, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=40),
    "squeezebert": dict(BERT, embedding_size=32, q_groups=2, k_groups=4, v_groups=2, intermediate_groups=4,
                        output_groups=2),
    "albert": dict(BERT, embedding_size=16), "electra": dict(BERT, embedding_size=16),
    "gpt2": dict(COMMON, n_embd=32, n_layer=2, n_head=4, n_positions=40),
    "opt": dict(COMMON, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=48,
                word_embed_proj_dim=32, max_position_embeddings=40),
    "llama": LLAMA, "qwen2": LLAMA, "qwen3": dict(LLAMA, head_dim=12), "mistral": LLAMA,
}
ROTARY = ("llama", "qwen2", "qwen3", "mistral")

# Values of keys whose type alone does not tell what is legal.
VALUES = {
    "hidden_size": [64, 16], "dim": [64, 16], "n_embd": [64, 16],
    "num_hidden_layers": [1, 3], "n_layers": [1, 3], "n_layer": [1, 3],
    "num_attention_heads": [2, 8], "n_heads": [2, 8], "n_head": [2, 8], "num_key_value_heads": [1, 4],
    "head_dim": [16, 4], "max_position_embeddings": [36, 64], "n_positions": [36, 64],
    "word_embed_proj_dim": [16, 48], "embedding_size": [24, 48], "type_vocab_size": [1, 3],
    "num_hidden_groups": [2], "inner_group_num": [2, 3], "n_inner": [40],
    "q_groups": [1, 8], "k_groups": [1, 8], "v_groups": [1, 8], "post_attention_groups": [2, 4],
    "intermediate_groups": [1, 2], "output_groups": [1, 4],
    "eos_token_id": [[2, 7], 9], "bos_token_id": [5, 6], "chunk_size_feed_forward": [1, 2],
    "problem_type": ["regression", "single_label_classification", "multi_label_classification"],
    "architectures": [["SomethingForSequenceClassification"], []], "dtype": ["bfloat16", "float16"],
    "layer_types": [["full_attention", "full_attention"]], "sliding_window": [4, 1], "max_window_layers": [1, 0],
    "id2label": [{"0": "a", "1": "b", "2": "c", "3": "d"}, {"0": "only"}], "label2id": [{"x": 0, "y": 1, "z": 2}],
    "transformers_version": ["4.0.0", "99.0.0"],
    "summary_type": ["last", "mean"], "summary_activation": ["tanh", "relu"], "pretraining_tp": [2, 4],
    "layer_norm_eps": [1e-3, 0.5], "layer_norm_epsilon": [1e-3, 0.5], "rms_norm_eps": [1e-3, 0.5],
    "initializer_range": [0.5, 0.0], "init_std": [0.5, 0.0], "name_or_path": ["a/b"], "_name_or_path": ["a/b"],
    "rope_parameters": [], "model_type": [], "pad_token_id": [],
}
ACTIVATIONS = ("hidden_act", "activation", "activation_function")
# What else the model needs where a key has its class's default.
COMPANIONS = {
    "num_attention_heads": {"hidden_size": 192}, "n_heads": {"dim": 48}, "n_head": {"n_embd": 48},
    "hidden_size": {"num_attention_heads": 4}, "num_key_value_heads": {"hidden_size": 128, "num_attention_heads": 32},
}
SQUEEZED = {"hidden_size": "embedding_size"}  # SqueezeBERT asks that they be equal
HEADS_OF_KEYS = {
    "num_labels": ("sequence_classification", "token_classification"), "pad_token_id": ("sequence_classification",),
    "id2label": ("sequence_classification", "token_classification"), "label2id": ("sequence_classification",),
    "problem_type": ("sequence_classification",), "eos_token_id": ("causal_lm",), "bos_token_id": ("causal_lm",),
    "tie_word_embeddings": ("masked_lm", "causal_lm"), "summary_type": ("sequence_classification",),
    "summary_activation": ("sequence_classification",), "summary_use_proj": ("sequence_classification",),
    "summary_proj_to_labels": ("sequence_classification",), "token_classification_bias": ("token_classification",),
    "architectures": ("sequence_classification", "masked_lm", "causal_lm"),
    # What a cache of keys and values obeys shows in generated text alone.
    **dict.fromkeys(("sliding_window", "use_sliding_window", "layer_types", "kv_sharing_modes", "attention_chunk_size",
                     "is_causal", "use_cache", "max_window_layers"), ("sequence_classification", "causal_lm")),
}

MANY = list(range(4, 100, 2))  # tokens, of which every greedy text has some
# Keys that no class of these declares: of published files, of older releases, read by getattr, or of other families.
UNDECLARED = {
    "is_llama_config": [True], "transformers.js_config": [{"kv_cache_dtype": {"fp16": "float16"}}],
    "sentence_transformers": [{"activation_fn": "torch.nn.modules.linear.Identity", "version": "4.0.1"}],
    "sbert_ce_default_activation_function": ["torch.nn.modules.linear.Identity"], "directionality": ["bidi"],
    "pooler_fc_size": [768], "pooler_num_attention_heads": [12], "pooler_num_fc_layers": [3],
    "pooler_size_per_head": [128], "pooler_type": ["first_token_transform"], "name": ["a model"],
    "unsloth_fixed": [True], "max_sequence_length": [20], "auto_map": [{"AutoModel": "modeling_a.Model"}],
    "use_flash_attn": [True], "adapters": [{"adapters": {}, "config_map": {}}], "gradient_checkpointing": [True],
    "output_past": [True], "n_ctx": [40], "n_special": [0], "predict_special_tokens": [True], "net_structure_type": [0],
    "down_scale_factor": [1], "gap_size": [0], "num_memory_blocks": [0],
    "position_embedding_type": ["absolute", "relative_key", "relative_key_query"],
    "task_specific_params": [{"text-generation": {"do_sample": True, "max_length": 50}}], "tie_weights_": [True],
    "torch_dtype": ["float16"], "finetuning_task": ["sst2"], "language": ["en"], "prefix": ["a"],
    "tokenizer_class": ["BertTokenizer"], "attn_implementation": ["eager"], "_attn_implementation": ["eager"],
    "_attn_implementation_autoset": [True], "_commit_hash": ["0123"], "num_labels": [3, 4], "hidden_dropout": [0.1],
    "unheard_of": [3, "yes", {"a": 1}], "is_causal": [False, True], "is_decoder": [True], "use_cache": [False],
    "output_attentions": [True], "output_hidden_states": [True], "return_dict": [False], "torchscript": [True],
    "use_bfloat16": [True], "token_classification_bias": [False], "kv_sharing_modes": [["own", "own"]],
    "attention_chunk_size": [4], "per_layer_config": [{"0": {"intermediate_size": 48}}],
    "pruned_heads": [{"0": [1]}, {}], "quantization_config": [{"quant_method": "gptq", "bits": 4}],
    "embedding_size": [16], "cross_attention_hidden_size": [32],
    "layer_types": [["full_attention", "full_attention"], ["sliding_attention", "full_attention"]],
    "sliding_window": [4], "use_sliding_window": [True], "max_window_layers": [1], "attention_bias": [True],
    "mlp_bias": [True], "head_dim": [8], "rope_theta": [500.0],
    "rope_scaling": [{"rope_type": "linear", "factor": 2.0}], "partial_rotary_factor": [0.5],
    "original_max_position_embeddings": [10], "rope_parameters": [{"rope_theta": 500.0}], "scale_attn_weights": [False],
    "layer_norm_eps": [0.5], "rms_norm_eps": [0.5], "hidden_act": ["relu"], "activation_function": ["relu"],
    "activation": ["relu"], "sinusoidal_pos_embds": [True], "tie_encoder_decoder": [True],
    "bad_words_ids": [[[i] for i in MANY]], "repetition_penalty": [1.5], "no_repeat_ngram_size": [2],
    "min_length": [30], "max_length": [12], "num_beams": [3], "do_sample": [True], "temperature": [0.5],
    "suppress_tokens": [MANY], "forced_eos_token_id": [9], "begin_suppress_tokens": [MANY],
    "decoder_start_token_id": [3], "sep_token_id": [9], "suppress_bos": [True], "encoder_no_repeat_ngram_size": [2],
    "text_config": [{"hidden_size": 64}], "use_qk_norm": [True], "logit_scale": [0.5], "logits_scaling": [2.0],
    "final_logit_softcapping": [5.0], "attn_logit_softcapping": [5.0], "query_pre_attn_scalar": [4],
    "residual_multiplier": [0.5], "embedding_multiplier": [2.0], "attention_multiplier": [0.5], "clip_qkv": [0.1],
    "qk_layernorm": [True], "no_bias": [True], "use_bias": [False], "parallel_attn": [True], "alibi": [True],
    "rotary_pct": [0.5], "scale_embedding": [True], "normalize_before": [True], "classifier_bias": [False],
    "classifier_activation": ["relu"], "classifiers_size": [1], "summary_last_dropout": [0.5],
    "initializer_factor": [2.0], "function_to_apply": ["sigmoid"],
}
GENERATION = {  # of generation_config.json; all greedy
    "eos_token_id": [[2, 11, 12], 14, None], "bos_token_id": [5], "pad_token_id": [6], "max_length": [30],
    "max_new_tokens": [3], "do_sample": [True], "temperature": [0.5], "top_k": [5], "top_p": [0.5],
    "repetition_penalty": [1.5], "no_repeat_ngram_size": [2], "min_length": [30], "min_new_tokens": [10],
    "num_beams": [3], "suppress_tokens": [MANY], "begin_suppress_tokens": [MANY],
    "bad_words_ids": [[[i] for i in MANY]], "forced_bos_token_id": [9], "forced_eos_token_id": [9],
    "use_cache": [False], "transformers_version": ["4.0.0"],
    "renormalize_logits": [True], "length_penalty": [2.0], "penalty_alpha": [0.6], "guidance_scale": [1.5],
    "sequence_bias": [[[[7], 5.0]]], "exponential_decay_length_penalty": [[2, 1.5]], "stop_strings": [["a"]],
}
SCALED = [
    {"rope_type": "default"}, {"rope_type": "linear", "factor": 2.0}, {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10},
    {"rope_type": "yarn", "factor": 4.0},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10, "attention_factor": 0.7},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10, "beta_fast": 8, "beta_slow": 2},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10, "truncate": False},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10, "mscale": 0.7, "mscale_all_dim": 0.5},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 16},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 10, "short_factor": "short",
     "long_factor": "long"},
    {"rope_type": "longrope", "original_max_position_embeddings": 60, "short_factor": "short", "long_factor": "long"},
    {"rope_type": "longrope", "original_max_position_embeddings": 10, "attention_factor": 0.7, "short_factor": "short",
     "long_factor": "long"},
    {"rope_type": "longrope", "factor": 4.0, "short_factor": "short", "long_factor": "long"},
    {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    {"rope_type": "mrope", "mrope_section": [1, 1, 2]}, {"rope_type": "unheard_of", "factor": 2.0},
    {"type": "linear", "factor": 3.0}, {"type": "su", "short_factor": "short", "long_factor": "long"},
    {"type": "linear", "rope_type": "dynamic", "factor": 3.0}, {"rope_type": "linear", "factor": 2},
    {"rope_type": "linear"}, {"rope_type": "linear", "factor": 0.5}, {"factor": 2.0}, {},
    {"rope_type": "default", "rope_theta": 500.0}, {"rope_type": "default", "rope_theta": 500},
    {"rope_type": "default", "partial_rotary_factor": 0.5}, {"rope_type": "linear", "factor": 2.0,
                                                            "partial_rotary_factor": 0.5},
    {"rope_type": "default", "unheard_of": 3}, {"rope_type": "linear", "factor": 2.0, "unheard_of": 3},
    {"full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0}},
    {"full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0},
     "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}},
]
WINDOWS = [
    {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
    {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 0},
    {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 5},
    {"use_sliding_window": True, "sliding_window": 4},
    {"use_sliding_window": True, "sliding_window": None, "max_window_layers": 0},
    {"use_sliding_window": False, "sliding_window": 4, "max_window_layers": 0},
    {"use_sliding_window": True, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]},
    {"use_sliding_window": False, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]},
    {"layer_types": ["sliding_attention", "full_attention"]}, {"sliding_window": 4, "is_causal": False},
    {"layer_types": ["full_attention"]}, {"layer_types": ["full_attention", "unheard_of"]},
    {"sliding_window": 4, "layer_types": ["full_attention", "full_attention"]}, {"sliding_window": None},
    {"sliding_window": 0}, {"sliding_window": 100}, {"sliding_window": 4, "layer_types": ["chunked_attention"] * 2},
]
