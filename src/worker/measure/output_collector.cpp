// Rows are copied to the host as float, one input at a time.
#include "measure/output_collector.h"

#include <ATen/ops/arange.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/hash.h"

namespace transformeter {
namespace {

// Columns of the tokens that are not padding.
at::Tensor useful_columns(const StagedBatch& batch, std::int64_t row) {
  const at::Tensor& mask = batch.inputs.token_mask;
  if (mask.defined()) return mask.select(0, row).nonzero().squeeze(1);
  return at::arange(batch.sequence_length, batch.inputs.given().options().dtype(at::kLong));
}

void append_bytes(const at::Tensor& numbers, std::string& bytes) {
  const at::Tensor host = numbers.to(at::kCPU).contiguous();
  bytes.append(static_cast<const char*>(host.const_data_ptr()), host.nbytes());
}

// Of a row's tokens.
std::string bytes_of_text(const StagedBatch& batch, std::int64_t row) {
  const at::Tensor columns = useful_columns(batch, row);
  std::string bytes;
  append_bytes(batch.inputs.input_ids.select(0, row).index_select(0, columns).to(at::kLong), bytes);
  const at::Tensor& types = batch.inputs.token_type_ids;
  if (!types.defined()) return bytes;
  const at::Tensor own = types.select(0, row).index_select(0, columns);
  // A batch without types, or with none but 0, must give the same keys.
  if (own.any().item<bool>()) append_bytes(own.to(at::kLong), bytes);
  return bytes;
}

// Of an image, or of a sound without its padding. A model in training may read the padding; a case and its reference
// then have the same sounds in each batch.
std::string bytes_of_values(const StagedBatch& batch, std::int64_t row) {
  at::Tensor values = batch.inputs.given().select(0, row);
  if (!batch.samples.empty()) values = values.slice(0, 0, batch.samples[static_cast<std::size_t>(row)]);
  std::string bytes;
  append_bytes(values, bytes);
  return bytes;
}

std::string bytes_of_input(const StagedBatch& batch, std::int64_t row) {
  return batch.inputs.input_ids.defined() ? bytes_of_text(batch, row) : bytes_of_values(batch, row);
}

// 60 of the hash's bits, so that the key is a positive number in JSON.
std::int64_t key_of(const std::string& bytes) {
  constexpr std::size_t kDigits = 15;
  return std::stoll(sha256_hex(bytes).substr(0, kDigits), nullptr, 16);
}

// [rows, W] of one input.
at::Tensor compared_rows(const at::Tensor& output, const at::Tensor& columns, std::int64_t row,
                         std::int64_t columns_all) {
  const at::Tensor own = output.select(0, row);
  const bool is_token_level = output.dim() == 3 && output.size(1) == columns_all;
  if (!is_token_level) return own.reshape({1, -1});
  const bool is_wide = output.size(2) > kWidestTokenRow;
  return own.index_select(0, is_wide ? columns.slice(0, -1) : columns);
}

void append_values(const at::Tensor& rows, std::vector<float>& values) {
  const at::Tensor host = rows.to(at::kCPU, at::kFloat).contiguous();
  const auto* begin = host.const_data_ptr<float>();
  values.insert(values.end(), begin, begin + host.numel());
}

}  // namespace

std::vector<std::int64_t> input_keys(const StagedBatch& batch) {
  const c10::InferenceMode guard;
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < batch.examples; ++row) keys.push_back(key_of(bytes_of_input(batch, row)));
  return keys;
}

std::vector<std::int64_t> target_keys(const StagedBatch& batch, const TrainingBatch& targets) {
  const c10::InferenceMode guard;
  const std::vector<std::int64_t> lengths = target_lengths(targets);
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < batch.examples; ++row) {
    const std::int64_t* target = targets.labels.data() + row * targets.target_length;
    std::string bytes = bytes_of_input(batch, row) + "target";  // so that no text runs on into it
    bytes.append(reinterpret_cast<const char*>(target),
                 sizeof(*target) * static_cast<std::size_t>(lengths[static_cast<std::size_t>(row)]));
    keys.push_back(key_of(bytes));
  }
  return keys;
}

OutputCollector::OutputCollector(const OutputRequest& request, std::set<std::int64_t> excluded)
    : request_(request),
      takes_first_(request.inputs.empty()),
      wanted_(request.inputs.begin(), request.inputs.end()),
      taken_or_excluded_(std::move(excluded)) {
  for (const std::int64_t key : taken_or_excluded_) wanted_.erase(key);
  is_full_ = !takes_first_ && wanted_.empty();
}

bool OutputCollector::wants(const std::vector<std::int64_t>& keys) const {
  if (is_full_) return false;
  const auto& known = takes_first_ ? taken_or_excluded_ : wanted_;
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::int64_t key) { return (known.count(key) == 0) == takes_first_; });
}

bool OutputCollector::has_room(std::int64_t tokens, std::int64_t values) const {
  const auto taken = static_cast<std::int64_t>(outputs_.inputs.size());
  if (!takes_first_ || taken < std::min<std::int64_t>(2, request_.most_inputs)) return true;
  if (taken >= request_.most_inputs || tokens_ + tokens > request_.limit_tokens) return false;
  return taken < request_.fewest_inputs ||
         (tokens_ + tokens <= request_.most_tokens &&
          static_cast<std::int64_t>(outputs_.values.size()) + values <= request_.most_values);
}

void OutputCollector::add(const StagedBatch& batch, const std::vector<std::int64_t>& keys, const at::Tensor& output) {
  const c10::InferenceMode guard;
  if (output.dim() < 1 || output.size(0) != batch.examples) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the model's outputs with {} dimensions do not have one row for each of {} inputs",
                            output.dim(), batch.examples));
  }
  for (std::int64_t row = 0; row < batch.examples && !is_full_; ++row) {
    const at::Tensor columns = useful_columns(batch, row);
    add_input(keys[static_cast<std::size_t>(row)], columns.numel(),
              compared_rows(output, columns, row, batch.sequence_length));
  }
}

void OutputCollector::add_input(std::int64_t key, std::int64_t tokens, const at::Tensor& rows) {
  const c10::InferenceMode guard;
  if (is_full_ || (takes_first_ ? taken_or_excluded_.count(key) > 0 : wanted_.erase(key) == 0)) return;
  if (!has_room(tokens, rows.numel())) {
    is_full_ = true;
    return;
  }
  taken_or_excluded_.insert(key);
  tokens_ += tokens;
  outputs_.width = rows.size(1);
  outputs_.inputs.push_back(key);
  outputs_.rows.push_back(rows.size(0));
  append_values(rows, outputs_.values);
  is_full_ = takes_first_ ? static_cast<std::int64_t>(outputs_.inputs.size()) >= request_.most_inputs : wanted_.empty();
}

}  // namespace transformeter
