// Cutting, packing, and outputs put back in the order of the rows.
#include "engine/staged_batch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/chunks.h"

namespace transformeter {
namespace {

template <typename T>
at::Tensor copied_matrix(const Batch& batch, const std::vector<T>& values, c10::ScalarType type) {
  // from_blob borrows; the copy is ours.
  return at::from_blob(const_cast<T*>(values.data()), {batch.batch_size, batch.sequence_length},
                       at::TensorOptions(type))
      .clone();
}

at::Tensor copied_pixels(const Batch& batch) {
  const ImageShape& image = batch.images->shape;
  return at::from_blob(const_cast<float*>(batch.images->values.data()),
                       {batch.batch_size, image.channels, image.size.height, image.size.width}, at::kFloat)
      .clone();
}

at::Tensor copied_sounds(const Batch& batch) {
  return at::from_blob(const_cast<float*>(batch.sounds->values.data()), {batch.batch_size, batch.sounds->samples},
                       at::kFloat)
      .clone();
}

// The rows of values [B, ...]; undefined stay so.
at::Tensor select_rows(const at::Tensor& matrix, const at::Tensor& rows) {
  return matrix.defined() ? matrix.index_select(0, rows) : at::Tensor();
}

bool has_blanks(const Batch& batch, const BlankTokens& blanks) {
  for (std::size_t i = 0; i < batch.input_ids.size(); ++i) {
    if (batch.attention_mask[i] != 0 && batch.input_ids[i] == blanks.id) return true;
  }
  return false;
}

// Where blanks stand inside texts: positions that do not count them, and the last columns before them.
void add_places(const Batch& batch, const BlankTokens& blanks, ModelInputs& inputs) {
  std::vector<std::int64_t> positions;
  std::vector<std::int64_t> last(static_cast<std::size_t>(batch.batch_size), 0);
  for (std::size_t row = 0; row < last.size(); ++row) {
    std::int64_t count = 0;
    for (std::int64_t column = 0; column < batch.sequence_length; ++column) {
      const std::size_t i = row * static_cast<std::size_t>(batch.sequence_length) + static_cast<std::size_t>(column);
      const bool counts = batch.attention_mask[i] != 0 && batch.input_ids[i] != blanks.id;
      positions.push_back(counts ? count++ : -1);
      if (counts) last[row] = column;
    }
  }
  if (blanks.in_positions) inputs.positions = copied_matrix(batch, positions, c10::ScalarType::Long);
  if (blanks.as_last) inputs.last_columns = at::tensor(last, at::kLong);
}

// Of a row's own tokens, which `begin` and `end` enclose with padding; 0 for a row without any.
std::int64_t end_column(std::span<const std::int64_t> ids, std::span<const std::uint8_t> mask, const EndToken& end) {
  std::optional<std::size_t> found;
  for (std::size_t column = 0; column < ids.size(); ++column) {
    if (mask[column] == 0) continue;
    if (end.id && ids[column] == *end.id) return static_cast<std::int64_t>(column);
    if (!found || (!end.id && ids[column] > ids[*found])) found = column;
  }
  return static_cast<std::int64_t>(found.value_or(0));
}

std::int64_t last_column(std::span<const std::uint8_t> mask) {
  const auto last = std::find_if(mask.rbegin(), mask.rend(), [](std::uint8_t bit) { return bit != 0; });
  return std::max<std::int64_t>(mask.rend() - last - 1, 0);
}

// [B]: where texts end; undefined where that is the last token of each, as without a mark.
at::Tensor end_columns(const Batch& batch, const EndToken& end) {
  const auto length = static_cast<std::size_t>(batch.sequence_length);
  std::vector<std::int64_t> columns;
  bool differs = false;
  for (std::size_t begin = 0; begin < batch.input_ids.size(); begin += length) {
    const auto mask = std::span(batch.attention_mask).subspan(begin, length);
    columns.push_back(end_column(std::span(batch.input_ids).subspan(begin, length), mask, end));
    differs = differs || columns.back() != last_column(mask);
  }
  return differs ? at::tensor(columns, at::kLong) : at::Tensor();
}

StagedChunk padded_chunk(const ModelInputs& whole, const std::vector<std::size_t>& rows) {
  StagedChunk chunk;
  chunk.rows = at::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), at::kLong);
  chunk.inputs.input_ids = select_rows(whole.input_ids, chunk.rows);
  chunk.inputs.pixel_values = select_rows(whole.pixel_values, chunk.rows);
  chunk.inputs.input_values = select_rows(whole.input_values, chunk.rows);
  chunk.inputs.token_type_ids = select_rows(whole.token_type_ids, chunk.rows);
  chunk.inputs.token_mask = select_rows(whole.token_mask, chunk.rows);
  chunk.inputs.positions = select_rows(whole.positions, chunk.rows);
  chunk.inputs.last_columns = select_rows(whole.last_columns, chunk.rows);
  return chunk;
}

// Of a row, those that are not padding.
std::int32_t tokens_before(const Batch& batch, std::size_t row, std::int64_t column) {
  const auto begin = batch.attention_mask.begin() + static_cast<std::ptrdiff_t>(row) * batch.sequence_length;
  return static_cast<std::int32_t>(std::count(begin, begin + column, 1));
}

// The tokens of the rows that are not padding, one row after another.
StagedChunk packed_chunk(const Batch& batch, const ModelInputs& whole, const std::vector<std::size_t>& rows,
                         const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> own_lengths;
  std::vector<std::int32_t> last;
  for (const std::size_t row : rows) {
    if (whole.last_columns.defined()) {
      const auto column = whole.last_columns[static_cast<std::int64_t>(row)].item<std::int64_t>();
      last.push_back(static_cast<std::int32_t>(places.size()) + tokens_before(batch, row, column));
    }
    const auto begin = static_cast<std::int64_t>(row) * batch.sequence_length;
    for (std::int64_t place = begin; place < begin + batch.sequence_length; ++place) {
      if (batch.attention_mask[static_cast<std::size_t>(place)] != 0) places.push_back(place);
    }
    own_lengths.push_back(lengths[row]);
  }
  StagedChunk chunk;
  chunk.rows = at::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), at::kLong);
  chunk.places = at::tensor(places, at::kLong);
  const auto tokens = [&](const at::Tensor& matrix) {
    return matrix.defined() ? matrix.flatten().index_select(0, chunk.places).unsqueeze(0) : at::Tensor();
  };
  chunk.inputs.input_ids = tokens(whole.input_ids);
  chunk.inputs.token_type_ids = tokens(whole.token_type_ids);
  chunk.inputs.rows = pack_rows(std::move(own_lengths));
  if (whole.positions.defined()) chunk.inputs.rows.positions = tokens(whole.positions);
  if (whole.last_columns.defined()) chunk.inputs.rows.last = at::tensor(last, at::kInt);
  return chunk;
}

std::vector<StagedChunk> cut(const Batch& batch, const ModelInputs& whole, const BatchLayout& layout) {
  if (!layout.packed && layout.streams == 1 && !layout.chunk_tokens) return {};
  const std::vector<std::int64_t> useful = row_lengths(batch);
  const std::vector<std::int64_t> padded(useful.size(), batch.sequence_length);
  const ChunkOptions options{layout.chunk_tokens, layout.streams, layout.packed};
  std::vector<StagedChunk> chunks;
  for (const std::vector<std::size_t>& rows : plan_chunks(layout.packed ? useful : padded, options)) {
    chunks.push_back(layout.packed ? packed_chunk(batch, whole, rows, useful) : padded_chunk(whole, rows));
  }
  return chunks;
}

void visit_model_inputs(ModelInputs& inputs, const std::function<void(at::Tensor&)>& visit) {
  for (at::Tensor* tensor :
       {&inputs.input_ids, &inputs.pixel_values, &inputs.input_values, &inputs.token_type_ids, &inputs.token_mask,
        &inputs.positions, &inputs.last_columns, &inputs.rows.starts, &inputs.rows.positions, &inputs.rows.last}) {
    if (tensor->defined()) visit(*tensor);
  }
}

}  // namespace

StagedBatch lay_out(const Batch& batch, const BatchLayout& layout) {
  StagedBatch staged;
  ModelInputs& whole = staged.inputs;
  if (batch.images) {
    whole.pixel_values = copied_pixels(batch);
  } else if (batch.sounds) {
    whole.input_values = copied_sounds(batch);
    staged.samples = batch.sounds->lengths;
  } else {
    whole.input_ids = copied_matrix(batch, batch.input_ids, c10::ScalarType::Long);
  }
  const bool has_types = std::any_of(batch.token_type_ids.begin(), batch.token_type_ids.end(),
                                     [](std::int64_t type) { return type != 0; });
  if (has_types) whole.token_type_ids = copied_matrix(batch, batch.token_type_ids, c10::ScalarType::Long);
  if (batch.has_padding) whole.token_mask = copied_matrix(batch, batch.attention_mask, c10::ScalarType::Bool);
  if (layout.blanks && has_blanks(batch, *layout.blanks)) add_places(batch, *layout.blanks, whole);
  if (layout.end) whole.last_columns = end_columns(batch, *layout.end);
  staged.chunks = cut(batch, whole, layout);
  staged.sequence_length = batch.sequence_length;
  staged.examples = batch.batch_size;
  staged.useful_tokens = batch.useful_tokens;
  staged.processed_tokens = layout.packed ? batch.useful_tokens : batch.processed_tokens;
  staged.example_index = batch.example_index;
  return staged;
}

void visit_inputs(StagedBatch& batch, const std::function<void(at::Tensor&)>& visit) {
  if (batch.chunks.empty()) return visit_model_inputs(batch.inputs, visit);
  for (StagedChunk& chunk : batch.chunks) {
    visit_model_inputs(chunk.inputs, visit);
    visit(chunk.rows);
    if (chunk.places.defined()) visit(chunk.places);
  }
}

void move_to(StagedBatch& batch, c10::Device device) {
  const auto move = [&](at::Tensor& tensor) { tensor = tensor.to(device); };
  visit_inputs(batch, move);
  if (!batch.chunks.empty()) visit_model_inputs(batch.inputs, move);
}

at::Tensor join_chunks(const StagedBatch& batch, const std::vector<at::Tensor>& outputs) {
  const at::Tensor& first = outputs.front();
  const bool by_token = first.dim() == 3 && batch.chunks.front().places.defined();
  std::vector<std::int64_t> shape = first.sizes().vec();
  shape.front() = batch.examples;
  if (by_token) shape[1] = batch.sequence_length;
  at::Tensor output = by_token ? at::zeros(shape, first.options()) : at::empty(shape, first.options());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const StagedChunk& chunk = batch.chunks[i];
    if (by_token) {
      output.flatten(0, 1).index_copy_(0, chunk.places, outputs[i].squeeze(0));
    } else {
      output.index_copy_(0, chunk.rows, outputs[i]);
    }
  }
  return output;
}

}  // namespace transformeter
