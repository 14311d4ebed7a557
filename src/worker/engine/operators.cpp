// Attention by name: LibTorch's choice, each of its kernels, and the three operations one after another.
#include "engine/operators.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "engine/gpu_operators.h"
#include "engine/plain_operators.h"
#include "engine/row_kernels.h"
#include "engine/tiled_attention.h"
#include "engine/tried_attention.h"
#include "model/attention_masks.h"

namespace transformeter {
namespace {

bool is_grouped(const AttentionInputs& inputs) {
  return inputs.query.size(1) != inputs.key.size(1);
}

void refuse_dropout(const AttentionInputs& inputs, std::string_view attention) {
  if (inputs.dropout == 0) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("attention {} does not support dropout on the CPU; use attention sdpa, math or eager", attention));
}

// LibTorch composes norms and rotations of six or seven operators; a decoding step spends longer in calling them than
// in computing.
template <typename Attention>
class FusedRows final : public Attention {
 public:
  // Of one token, the query heads that share keys are as good as tokens of one head: no key is repeated for them.
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const std::int64_t groups = inputs.key.size(1);
    const bool is_one_token = inputs.query.size(2) == 1 && !inputs.is_causal;
    // LibTorch gives each head to one thread.
    const bool fills_threads = inputs.query.size(0) * groups >= at::get_num_threads();
    if (!is_one_token || !is_grouped(inputs) || !fills_threads) return Attention::attention(inputs);
    AttentionInputs joined = inputs;
    joined.query = inputs.query.reshape({inputs.query.size(0), groups, -1, inputs.query.size(3)});
    return Attention::attention(joined).reshape(inputs.query.sizes());
  }
  at::Tensor rms_norm(const at::Tensor& input, const at::Tensor& weight, double epsilon, double offset) const override {
    return rms_norm_rows(input, weight, epsilon, offset);
  }
  at::Tensor rotated(const at::Tensor& input, const Rotation& rotation) const override {
    return rotate_rows(input, rotation.cosine, rotation.sine);
  }
};

class SdpaOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override { return library_attention(inputs); }
};

class MathOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    return as_one_operator(inputs, [](const AttentionInputs& all) {
      return std::get<0>(at::_scaled_dot_product_attention_math(all.query, all.key, all.value, optional_mask(all),
                                                                all.dropout, all.is_causal, std::nullopt, std::nullopt,
                                                                is_grouped(all)));
    });
  }
};

// The kernel wants whole vectors and as many heads of keys as of queries; what is not so is copied.
class FlashOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    refuse_dropout(inputs, "flash");
    refuse_learning_mask(inputs, "flash");
    return as_one_operator(inputs, [](const AttentionInputs& all) {
      const std::int64_t heads = all.query.size(1);
      return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
          with_whole_vectors(all.query), with_whole_vectors(repeat_heads(all.key, heads)),
          with_whole_vectors(repeat_heads(all.value, heads)), 0, all.is_causal, optional_mask(all)));
    });
  }
};

class TiledOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    refuse_dropout(inputs, "tiled");
    refuse_learning_mask(inputs, "tiled");
    return tiled_attention(inputs);
  }
};

class TriedOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override { return attention_(inputs); }
  std::vector<AttentionChoice> attention_choices() const override { return attention_.choices(); }

 private:
  TriedAttention attention_;
};

class EagerOperators : public PlainOperators {
 public:
  at::Tensor attention(const AttentionInputs& inputs) const override {
    const std::int64_t heads = inputs.query.size(1);
    at::Tensor scores = at::matmul(inputs.query, repeat_heads(inputs.key, heads).transpose(-2, -1));
    scores.mul_(1.0 / std::sqrt(static_cast<double>(inputs.query.size(-1))));
    if (inputs.mask.defined()) scores.add_(inputs.mask);
    if (inputs.is_causal) scores.masked_fill_(after(scores), lowest_of(scores.scalar_type()));
    at::Tensor shares = at::softmax(scores, -1);
    if (inputs.dropout > 0) shares = at::dropout(shares, inputs.dropout, true);
    return at::matmul(shares, repeat_heads(inputs.value, heads));
  }

 private:
  // True where a key comes after the query, [T, T].
  static at::Tensor after(const at::Tensor& scores) {
    const at::Tensor all = at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool));
    return all.triu(1);
  }
};

template <typename Attention>
std::unique_ptr<Operators> make(bool fused) {
  if (fused) return std::make_unique<FusedRows<Attention>>();
  return std::make_unique<Attention>();
}

}  // namespace

std::unique_ptr<Operators> make_operators(const std::string& attention, bool fused, bool on_gpu) {
  if (on_gpu) {
    fused = false;
    if (auto gpu = make_gpu_operators(attention)) return gpu;
  }
  if (attention == "sdpa") return make<SdpaOperators>(fused);
  if (attention == "eager") return make<EagerOperators>(fused);
  if (attention == "math") return make<MathOperators>(fused);
  if (attention == "flash") return make<FlashOperators>(fused);
  if (attention == "tiled") return make<TiledOperators>(fused);
  if (attention == "trial") return make<TriedOperators>(fused);
  throw Error(ErrorKind::kUnsupported, fmt::format("attention '{}' is not available; this worker has {}", attention,
                                                   fmt::join(attention_names(on_gpu), ", ")));
}

std::vector<std::string> attention_names(bool with_gpu) {
  std::vector<std::string> names{"sdpa", "eager", "math", "flash", "tiled", "trial"};
  if (with_gpu) names.insert(names.end(), {"memory_efficient", "cudnn", "flash_varlen"});
  return names;
}

}  // namespace transformeter
