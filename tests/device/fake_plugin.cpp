// A GPU that the CPU computes for: what a test opens in place of the CUDA plug-in. Kernels that CUDA alone has are
// registered for the CPU here, composed of what it has, so that the ways to them are driven.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <torch/library.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>

#include "base/error.h"
#include "device/plugin.h"
#include "fake_gpu.h"

namespace transformeter {
namespace {

using Scale = std::optional<double>;

// CUDA's kernels take one type alone; some say so, some compute nonsense.
void check_types(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                 const std::optional<at::Tensor>& bias) {
  const auto fits = [&](const at::Tensor& other) { return other.scalar_type() == query.scalar_type(); };
  TORCH_CHECK(fits(key) && fits(value), "Query, Key and Value must have the same dtype");
  TORCH_CHECK(!bias || fits(*bias), "invalid dtype for bias - should match query's dtype");
}

// Query, key and value as [B, H, T, d].
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool is_causal, Scale scale,
                  const std::optional<at::Tensor>& bias = std::nullopt) {
  check_types(query, key, value, bias);
  return std::get<0>(
      at::_scaled_dot_product_attention_math(query, key, value, bias, 0, is_causal, std::nullopt, scale));
}

using Flash = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor,
                         at::Tensor, at::Tensor>;

// What a GPU may refuse while a case runs: tests ask for it.
void fail_as_asked() {
  const char* fault = std::getenv("FAKE_GPU_FAULT");
  if (fault == nullptr) return;
  TORCH_CHECK_WITH(OutOfMemoryError, std::string(fault) != "memory",
                   "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 1.00 GiB free.");
  TORCH_CHECK(std::string(fault) != "error", "CUDA error: an illegal memory access was encountered");
  TORCH_CHECK(std::string(fault) != "refusal", "FlashAttention only supports Ampere GPUs or newer.");
}

Flash flash(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double, bool is_causal, bool,
            Scale scale) {
  const at::Tensor none = at::empty({0});
  return {attend(query, key, value, is_causal, scale), none, none, none, 0, 0, none, none, none};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> memory_efficient(const at::Tensor& query,
                                                                            const at::Tensor& key,
                                                                            const at::Tensor& value,
                                                                            const std::optional<at::Tensor>& bias, bool,
                                                                            double, bool is_causal, Scale scale) {
  fail_as_asked();
  const at::Tensor none = at::empty({0});
  return {attend(query, key, value, is_causal, scale, bias), none, none, none};
}

Flash cudnn(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            const std::optional<at::Tensor>& bias, bool, double, bool is_causal, bool, Scale scale) {
  const at::Tensor none = at::empty({0});
  return {attend(query, key, value, is_causal, scale, bias), none, none, none, 0, 0, none, none, none};
}

// Row by row; query, key and value as [N, H, d].
std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> flash_varlen(
    const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
    const std::optional<at::Tensor>& query_starts, const std::optional<at::Tensor>& key_starts, c10::SymInt,
    c10::SymInt, double, bool is_causal, bool, Scale scale, std::optional<c10::SymInt> left, std::optional<c10::SymInt>,
    const std::optional<at::Tensor>&, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&,
    std::optional<std::int64_t>) {
  fail_as_asked();
  at::Tensor output = at::empty_like(query);
  const at::Tensor from = query_starts->to(at::kLong);
  const at::Tensor key_from = key_starts->to(at::kLong);
  for (std::int64_t row = 0; row + 1 < from.numel(); ++row) {
    const auto rows_of = [&](const at::Tensor& tokens, const at::Tensor& starts) {
      return tokens.slice(0, starts[row].item<std::int64_t>(), starts[row + 1].item<std::int64_t>());
    };
    const auto heads_first = [](const at::Tensor& tokens) { return tokens.transpose(0, 1).unsqueeze(0); };
    std::optional<at::Tensor> band;
    if (left) {  // a token sees itself and so many before it
      const std::int64_t length = rows_of(query, from).size(0);
      const at::Tensor all = at::full({length, length}, -INFINITY, query.options());
      band = all.triu(1) + all.tril(-1 - left->expect_int());
    }
    const at::Tensor context = attend(heads_first(rows_of(query, from)), heads_first(rows_of(key, key_from)),
                                      heads_first(rows_of(value, key_from)), is_causal && !band, scale, band);
    rows_of(output, from).copy_(context.squeeze(0).transpose(0, 1));
  }
  const at::Tensor none = at::empty({0});
  return {output, none, none, none, none};
}

class FakePlugin final : public DevicePlugin {
 public:
  std::unique_ptr<Device> make(int ordinal) override {
    constexpr int kGpus = 8;
    if (ordinal >= kGpus) throw Error(ErrorKind::kEnvironment, "GPU " + std::to_string(ordinal) + " does not answer");
    return std::make_unique<FakeGpu>(ordinal);
  }
};

}  // namespace
}  // namespace transformeter

TORCH_LIBRARY_IMPL(aten, CPU, library) {
  library.impl("_scaled_dot_product_flash_attention", transformeter::flash);
  library.impl("_scaled_dot_product_efficient_attention", transformeter::memory_efficient);
  library.impl("_scaled_dot_product_cudnn_attention", transformeter::cudnn);
  library.impl("_flash_attention_forward", transformeter::flash_varlen);
}

extern "C" transformeter::DevicePlugin* transformeter_device_plugin() {
  static transformeter::FakePlugin plugin;
  return &plugin;
}
