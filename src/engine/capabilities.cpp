// Declared here, so that the command keeps no table of its own.
#include "engine/capabilities.h"

#include <string>
#include <vector>

#include "device/device.h"
#include "device/runtime.h"
#include "engine/operators.h"

namespace transformeter {
namespace {

// Chosen by measurement: docs/benchmarks.md.
constexpr int kFastChunkTokens = 512;

std::map<std::string, std::map<std::string, Json>> named_engines() {
  return {{"pytorch",
           {{"attention", "sdpa"},
            {"weights", Json{{"int8_static", "prepacked"}, {"else", "plain"}}},
            {"fusion", "none"},
            {"batching", "padded"},
            {"streams", 1},
            {"chunk_tokens", "none"},
            {"allocator", "glibc"}}},
          {"fast",
           {{"attention", "sdpa"},
            {"weights", Json{{"int8", "plain"}, {"int8_weight_only", "plain"}, {"else", "prepacked"}}},
            {"fusion", "fused"},
            {"batching", "packed"},
            {"streams", "threads"},
            {"chunk_tokens", kFastChunkTokens},
            {"allocator", "glibc_raised"}}}};
}

std::vector<Conflict> conflicts() {
  return {{{{"attention_mask", {"off"}}, {"batching", {"packed"}}},
           "attention_mask off attends to padding; packed rows have none"},
          {{{"precision", {"int8_static"}}, {"weights", {"plain"}}},
           "precision int8_static is oneDNN's product, which takes packed weights alone"},
          {{{"precision", {"int8_weight_only"}}, {"weights", {"prepacked"}}},
           "precision int8_weight_only reads its weights as they are; there is no packed form"}};
}

}  // namespace

Capabilities inference_capabilities() {
  Capabilities capabilities;
  capabilities.values = {{"device", device_names()},
                         {"precision", cpu_precisions()},
                         {"attention", attention_names()},
                         {"attention_mask", {"on", "off"}}};
  capabilities.native = {{"precision", native_cpu_precisions()}};
  capabilities.reasons = {{"attention=memory_efficient", "a kernel of CUDA devices"},
                          {"attention=cudnn", "a kernel of CUDA devices"},
                          {"attention=flash_varlen", "a kernel of CUDA devices"}};
  capabilities.engines = named_engines();
  capabilities.conflicts = conflicts();
  return capabilities;
}

}  // namespace transformeter
