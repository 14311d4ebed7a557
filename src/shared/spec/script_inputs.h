// What a compiled model is given, as a plan declares it: a TorchScript file does not say what its inputs mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/model_config.h"

namespace transformeter {

struct ScriptInput {
  enum class Kind {
    kIds,        // token ids, int64 [B, T]
    kMask,       // 1 where a token is not padding, int64 [B, T]
    kTypes,      // token types, int64 [B, T]
    kPositions,  // 0 … T−1, int64 [1, T]
    kRandom,     // seeded: numbers of mean 0 and deviation 1, or zeros of a whole type
  };
  Kind kind = Kind::kIds;
  std::string name;  // of kRandom
  std::string type;  // of kRandom: "float32", "bfloat16", "float16", "int64", "int32", "bool"
  /// Of kRandom; −1 stands for B, −2 for T.
  std::vector<std::int64_t> shape;

  bool operator==(const ScriptInput&) const = default;
};

inline constexpr std::int64_t kBatchDimension = -1;
inline constexpr std::int64_t kTokenDimension = -2;

inline constexpr const char* kDefaultScriptInputs = "ids,mask";
/// The engine that runs ONNX and OpenVINO files where none is chosen.
inline constexpr const char* kGraphEngine = "openvino";
/// All that run a file of that name: ONNX and OpenVINO, none for another.
std::vector<std::string> graph_engines(std::string_view model);
/// Why another attention than the default is unsupported.
inline constexpr const char* kScriptAttention = "a TorchScript file has its own attention; use --attention sdpa";

/// "ids,mask,pixels:float32[B,3,224,224]". Throws Error(kBadInput) naming the part that is wrong and what is allowed.
std::vector<ScriptInput> parse_script_inputs(std::string_view text);

/// What is known of a model in a file of that name: its format as the family, "torchscript", "onnx" or "openvino",
/// every task but causal_lm, no limits. Of an ONNX or OpenVINO file also what a config.json beside it, where exporters
/// put one, says of tokens, labels and the task; one of an unknown family says nothing. Throws Error(kBadInput) for one
/// that is no JSON.
ModelConfig compiled_config(std::string_view model);

/// Files beside it that hold its weights: of an OpenVINO model.xml model.bin, of a model.onnx model.onnx.data or
/// model.onnx_data.
std::vector<std::filesystem::path> weights_beside(const std::filesystem::path& model);

}  // namespace transformeter
