// Selecting, tokenising and batching, of real and of synthetic texts.
#include "measure/case_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "datasets/length_distribution.h"
#include "datasets/synthetic.h"
#include "schema/outputs.h"
#include "tasks/prompts.h"

namespace transformeter {
namespace {

bool is_synthetic(const CaseTexts& texts) {
  return texts.request.data == kSyntheticData;
}

std::vector<std::int64_t> synthetic_lengths(const CaseTexts& texts, std::size_t count) {
  const Case& request = texts.request;
  if (request.is_generate()) {
    return std::vector<std::int64_t>(count, request.prompt_length + row_frame(texts.tokenizer).size());
  }
  if (request.has_one_batch()) return std::vector<std::int64_t>(count, *request.sequence_length);
  const LengthDistribution distribution = parse_length_distribution(request.length_distribution);
  std::vector<std::int64_t> file_lengths;
  if (!distribution.file.empty()) {
    const DataSet data = load_dataset(distribution.file);
    const std::vector<std::size_t> all = select_examples(data.examples.size(), CycleOptions());
    for (const Encoding& encoding : encode_examples(data, all, texts.tokenizer, {})) {
      file_lengths.push_back(static_cast<std::int64_t>(std::max<std::size_t>(encoding.ids.size(), 3)));
    }
  }
  return lengths_of(distribution, count, std::move(file_lengths), request.seed);
}

// A model that reads padding learnt from texts of one length: rows that are shorter would hide theirs from it.
void check_filled_rows(const CaseTexts& texts) {
  const Case& request = texts.request;
  const bool has_shorter_rows =
      request.padding > 0 || request.draws_row_lengths() || (is_synthetic(texts) && !request.has_fixed_length());
  if (!texts.config.filled_length || !has_shorter_rows) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("family '{}' reads padding, so all its rows have one length; give a sequence_length, without "
                          "padding and length_distribution",
                          texts.config.family()));
}

CycleOptions cycle_options(const CaseTexts& texts) {
  check_filled_rows(texts);
  const Case& request = texts.request;
  CycleOptions options;
  options.batch_size = request.is_generate() ? 1 : request.batch_size;
  if (request.is_generate()) {
    options.sequence_length = request.prompt_length;
  } else if (request.draws_row_lengths()) {
    options.padded_length = request.sequence_length;
  } else {
    options.sequence_length = request.sequence_length;
  }
  // An encoder reads a prompt as a whole text.
  options.open_end = request.is_generate() && request.task == Task::kCausalLm;
  options.padding_share = request.padding;
  options.limit = request.limit;
  options.seed = request.seed;
  const bool is_cut = !options.sequence_length && !is_synthetic(texts);
  options.max_positions =
      is_cut ? texts.config.text_length(request, texts.tokenizer.traits().max_length) : texts.config.max_length;
  if (request.batching == "bucketed") {
    options.bucket_window = request.bucket_window.value_or(std::numeric_limits<std::int64_t>::max());
  }
  return options;
}

// Longer ones are cut to the length that rows are padded to.
std::vector<Encoding> synthetic_texts(const CaseTexts& texts, const CycleOptions& options,
                                      const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> cut = lengths;
  if (options.padded_length) {
    for (std::int64_t& length : cut) length = std::min(length, *options.padded_length);
  }
  std::vector<Encoding> encodings = synthetic_encodings(cut, texts.tokenizer, options.seed);
  for (std::size_t i = 0; i < cut.size(); ++i) encodings[i].truncated_tokens = lengths[i] - cut[i];
  return encodings;
}

// Synthetic texts from the `first` on; the i-th depends on the seed, i and its length alone.
CycleSource synthetic_source(const CaseTexts& texts, const CycleOptions& options,
                             const std::vector<std::int64_t>& lengths, std::size_t first) {
  CycleSource source;
  source.options = options;
  source.frame = options.open_end ? open_row_frame(texts.tokenizer) : row_frame(texts.tokenizer);
  source.encodings = synthetic_texts(texts, options, lengths);
  source.encodings.erase(source.encodings.begin(), source.encodings.begin() + static_cast<std::ptrdiff_t>(first));
  source.order.resize(source.encodings.size());
  std::iota(source.order.begin(), source.order.end(), first);
  return source;
}

Cycle cycle_of(const CycleSource& source) {
  return build_cycle(source.order, source.encodings, source.frame, source.options);
}

std::vector<Batch> all_batches(Cycle cycle) {
  std::move(cycle.further.begin(), cycle.further.end(), std::back_inserter(cycle.batches));
  return std::move(cycle.batches);
}

std::size_t selected(const CaseTexts& texts, const CycleOptions& options) {
  return select_examples(texts.data.examples.size(), options).size();
}

// Batches of a fixed length that hold at least so many rows, the first not counted.
std::int64_t batches_after_the_first(std::int64_t rows, const CycleOptions& options) {
  return (rows - 1) / options.batch_size;
}

// Those that are compared.
std::int64_t compared_after_the_first(const CycleOptions& options) {
  return batches_after_the_first(OutputRequest().fewest_inputs, options);
}

std::vector<Batch> synthetic_calibration(const CaseTexts& texts, CycleOptions options, std::int64_t rows) {
  std::size_t before = selected(texts, options);
  std::vector<std::int64_t> lengths = synthetic_lengths(texts, before);
  if (options.sequence_length) {
    before = static_cast<std::size_t>(options.batch_size * (1 + compared_after_the_first(options)));
    rows = options.batch_size * (1 + batches_after_the_first(rows, options));
    options.further_batches = batches_after_the_first(rows, options);
  }
  const std::size_t known = lengths.size();
  while (lengths.size() < before + static_cast<std::size_t>(rows)) lengths.push_back(lengths[lengths.size() % known]);
  return all_batches(cycle_of(synthetic_source(texts, options, lengths, before)));
}

DataSet subset(const DataSet& data, std::vector<std::size_t>::const_iterator begin,
               std::vector<std::size_t>::const_iterator end) {
  DataSet part;
  for (auto index = begin; index != end; ++index) part.examples.push_back(data.examples[*index]);
  return part;
}

std::vector<Batch> natural_calibration(const CaseTexts& texts, CycleOptions options,
                                       const std::vector<std::size_t>& all, std::int64_t examples) {
  const std::int64_t take = calibration_count(static_cast<std::int64_t>(all.size()),
                                              static_cast<std::int64_t>(selected(texts, options)), examples);
  if (take == 0) return {};
  options.limit.reset();
  return build_cycle(subset(texts.data, all.end() - take, all.end()), texts.tokenizer, options).batches;
}

CalibrationBatches fixed_calibration(const CaseTexts& texts, CycleOptions options, std::vector<std::size_t> all,
                                     std::int64_t rows) {
  options.further_batches = compared_after_the_first(options);
  const std::int64_t used = build_cycle(texts.data, texts.tokenizer, options).used_examples;
  options.limit.reset();
  options.further_batches = batches_after_the_first(rows, options);
  CalibrationBatches calibration;
  calibration.shares_texts = used == static_cast<std::int64_t>(all.size());
  if (calibration.shares_texts) std::reverse(all.begin(), all.end());
  const auto begin = all.begin() + (calibration.shares_texts ? 0 : used);
  calibration.batches = all_batches(build_cycle(subset(texts.data, begin, all.end()), texts.tokenizer, options));
  return calibration;
}

}  // namespace

std::int64_t calibration_count(std::int64_t all, std::int64_t measured, std::int64_t most) {
  const OutputRequest compared;
  const std::int64_t before = std::min(compared.most_inputs, measured);
  const std::int64_t spare = std::min(all / 2, std::max<std::int64_t>(1, all - compared.fewest_inputs));
  return std::min(most, std::max(all - before, spare));
}

CaseCycle make_cycle(const CaseTexts& texts) {
  const CycleOptions options = cycle_options(texts);
  if (texts.request.is_generate()) {
    return {measured_prompts(is_synthetic(texts) ? nullptr : &texts.data, texts.tokenizer, options), {}};
  }
  if (options.sequence_length && !is_synthetic(texts)) return {build_cycle(texts.data, texts.tokenizer, options), {}};
  CycleSource source;
  source.options = options;
  source.frame = row_frame(texts.tokenizer);
  source.order = select_examples(texts.data.examples.size(), options);
  if (is_synthetic(texts)) {
    source.encodings = synthetic_texts(texts, options, synthetic_lengths(texts, source.order.size()));
  } else {
    source.encodings = encode_examples(texts.data, source.order, texts.tokenizer, options.max_positions);
  }
  Cycle cycle = cycle_of(source);
  return {std::move(cycle), options.sequence_length ? CycleSource() : std::move(source)};
}

std::vector<Batch> further_batches(const CaseTexts& texts, std::int64_t rows) {
  CycleOptions options = cycle_options(texts);
  options.further_batches = batches_after_the_first(rows, options);
  if (!is_synthetic(texts)) return build_cycle(texts.data, texts.tokenizer, options).further;
  const auto all = static_cast<std::size_t>(options.batch_size * (1 + options.further_batches));
  return cycle_of(synthetic_source(texts, options, synthetic_lengths(texts, all), 0)).further;
}

CalibrationBatches calibration_batches(const CaseTexts& texts, const CalibrationSize& size) {
  const CycleOptions options = cycle_options(texts);
  std::int64_t rows = size.examples;
  if (options.sequence_length) rows = std::clamp<std::int64_t>(size.tokens / *options.sequence_length, 1, rows);
  if (is_synthetic(texts)) return {synthetic_calibration(texts, options, rows), false};
  CycleOptions unlimited = options;
  unlimited.limit.reset();
  std::vector<std::size_t> all = select_examples(texts.data.examples.size(), unlimited);
  if (options.sequence_length) return fixed_calibration(texts, options, std::move(all), rows);
  return {natural_calibration(texts, options, all, rows), false};
}

}  // namespace transformeter
