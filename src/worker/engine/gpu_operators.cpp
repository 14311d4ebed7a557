// Called through the dispatcher, so that nothing of CUDA is needed to build this.
#include "engine/gpu_operators.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "base/error.h"
#include "engine/plain_operators.h"

namespace transformeter {
namespace {

// What a kernel refuses (a head's size, a GPU too old) is its limit; out of memory and errors of the GPU are not.
template <typename Kernel>
at::Tensor within_limits(const char* name, const Kernel& kernel) {
  try {
    return kernel();
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::AcceleratorError&) {
    throw;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    if (text.rfind("CUDA error", 0) == 0) throw;
    throw Error(ErrorKind::kUnsupported, fmt::format("attention {}: {}", name, text.substr(0, text.find('\n'))));
  }
}

// With as many heads of keys as of queries.
AttentionInputs repeated(const AttentionInputs& inputs) {
  AttentionInputs all = inputs;
  all.query = with_whole_vectors(inputs.query);
  all.key = with_whole_vectors(repeat_heads(inputs.key, inputs.query.size(1)));
  all.value = with_whole_vectors(repeat_heads(inputs.value, inputs.query.size(1)));
  return all;
}

// Whether a backward pass will read what the kernel keeps of its softmax.
bool needs_gradient(const AttentionInputs& inputs) {
  return at::GradMode::is_enabled() &&
         (inputs.query.requires_grad() || inputs.key.requires_grad() || inputs.value.requires_grad());
}

// `kernel` returns a tuple that begins with the context.
template <typename Kernel>
at::Tensor attention_by(const char* name, const AttentionInputs& inputs, const Kernel& kernel) {
  return within_limits(name, [&] {
    return as_one_operator(inputs, [&](const AttentionInputs& all) { return std::get<0>(kernel(repeated(all))); });
  });
}

class GpuFlash final : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    if (inputs.mask.defined()) {
      throw Error(ErrorKind::kUnsupported,
                  "CUDA's flash attention does not support a mask, nor relative positions; use attention sdpa, or rows "
                  "without padding");
    }
    return attention_by("flash", inputs, [](const AttentionInputs& all) {
      return at::_scaled_dot_product_flash_attention(all.query, all.key, all.value, all.dropout, all.is_causal);
    });
  }
};

class GpuMemoryEfficient final : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    return attention_by("memory_efficient", inputs, [](const AttentionInputs& all) {
      return at::_scaled_dot_product_efficient_attention(all.query, all.key, all.value, bias(all), needs_gradient(all),
                                                         all.dropout, all.is_causal);
    });
  }

 private:
  // [B, H, T, S], with rows that begin at multiples of 16 elements, as the kernel reads them.
  static std::optional<at::Tensor> bias(const AttentionInputs& inputs) {
    constexpr std::int64_t kAlignment = 16;
    if (!inputs.mask.defined()) return std::nullopt;
    const std::int64_t keys = inputs.key.size(2);
    const std::int64_t room = (keys + kAlignment - 1) / kAlignment * kAlignment;
    const std::int64_t batch = inputs.query.size(0);
    const std::int64_t heads = inputs.mask.size(1);  // 1 unless relative positions are added
    const std::int64_t queries = inputs.query.size(2);
    at::Tensor rows = at::zeros({batch, heads, queries, room}, inputs.mask.options()).slice(-1, 0, keys);
    rows.copy_(inputs.mask.expand({batch, heads, queries, keys}));
    return rows.expand({batch, inputs.query.size(1), queries, keys});
  }
};

// Of packed rows alone: ATen's FlashAttention with the places where rows begin, so that no padding is computed.
class GpuFlashVarlen final : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    throw Error(ErrorKind::kUnsupported,
                inputs.mask.defined() ? "attention flash_varlen adds no relative positions or mask; use attention sdpa"
                                      : "attention flash_varlen needs batching packed");
  }
  bool takes_packed_rows() const override { return true; }
  at::Tensor packed_attention(const PackedAttentionInputs& inputs) const override {
    const std::optional<double> usual_scale;
    std::optional<std::int64_t> left;
    std::optional<std::int64_t> right;
    if (inputs.window > 0) {
      left = inputs.window - 1;
      right = 0;
    }
    const at::Tensor context = within_limits("flash_varlen", [&] {
      return std::get<0>(
          at::_flash_attention_forward(tokens_first(inputs.query), tokens_first(inputs.key), tokens_first(inputs.value),
                                       inputs.query_starts, inputs.key_starts, inputs.longest_query, inputs.longest_key,
                                       inputs.dropout, inputs.is_causal, false, usual_scale, left, right));
    });
    return context.transpose(0, 1).unsqueeze(0);
  }

 private:
  // [1, heads, N, d] to [N, heads, d].
  static at::Tensor tokens_first(const at::Tensor& packed) {
    return with_whole_vectors(packed.squeeze(0).transpose(0, 1));
  }
};

class GpuCudnn final : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    refuse_learning_mask(inputs, "cudnn");
    return attention_by("cudnn", inputs, [](const AttentionInputs& all) {
      return at::_scaled_dot_product_cudnn_attention(all.query, all.key, all.value, optional_mask(all),
                                                     needs_gradient(all), all.dropout, all.is_causal);
    });
  }
};

}  // namespace

std::unique_ptr<Operators> make_gpu_operators(const std::string& attention) {
  if (attention == "flash") return std::make_unique<GpuFlash>();
  if (attention == "memory_efficient") return std::make_unique<GpuMemoryEfficient>();
  if (attention == "flash_varlen") return std::make_unique<GpuFlashVarlen>();
  if (attention == "cudnn") return std::make_unique<GpuCudnn>();
  return nullptr;
}

}  // namespace transformeter
