// Padding stays behind each row's tokens.
#include "measure/row_outputs.h"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include "device/runtime.h"

namespace transformeter {

void RowOutputs::add(const at::Tensor& output, const Batch& batch) {
  if (!at::isfinite(output).all().item<bool>()) {
    throw Error(
        of_no_numbers_,
        fmt::format(
            "the model's outputs are NaN or infinite in {}; its weights may be damaged or too large for this precision",
            precision_name(output.scalar_type())));
  }
  tensors_.push_back(output.to(at::kCPU, at::kFloat).contiguous());
  const at::Tensor& tensor = tensors_.back();
  const auto width = static_cast<std::size_t>(tensor.size(-1));
  const std::size_t row_size = static_cast<std::size_t>(tensor.numel()) / static_cast<std::size_t>(batch.batch_size);
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.batch_size); ++row) {
    rows_.at(batch.example_index[row]) = {{tensor.data_ptr<float>() + row * row_size, row_size}, width};
  }
}

}  // namespace transformeter
