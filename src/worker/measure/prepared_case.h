// A case made ready to run: model loaded, data tokenised, cycle staged on the device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/context.h"
#include "datasets/cycle.h"
#include "datasets/dataset.h"
#include "device/device.h"
#include "engine/inference_engine.h"
#include "engine/kernel_probe.h"
#include "measure/case_texts.h"
#include "measure/forward_work.h"
#include "measure/loaded_model.h"
#include "measure/parts.h"
#include "measure/pass_forecast.h"
#include "measure/settled_products.h"
#include "measure/worker_case.h"
#include "model/parameters.h"
#include "schema/messages.h"
#include "tokenizers/ctc_vocabulary.h"

namespace transformeter {

struct PreparedCase {
  Case request;
  std::unique_ptr<Device> device;
  std::unique_ptr<InferenceEngine> engine;
  DataSet data;
  std::vector<StagedBatch> batches;  // the full cycle
  /// Batches of a fixed length that are not measured, to make up so many rows with the one that is; loads the tokenizer
  /// again. Empty where each text has a row.
  std::function<std::vector<Batch>(const DataSet& data, std::int64_t rows)> further_batches;
  /// The cycle of so many of its examples; null for cycles of one batch and for requests, which are not cut.
  std::function<Cycle(std::int64_t examples)> cut_cycle;
  /// Of an engine of another library: the model once more, whose nodes are counted; null of others.
  std::function<LoadedModel()> load_counted;
  std::int64_t selected_examples = 0;  // of a whole cycle that may be cut
  LinearForm linear_form;              // of most products with weights
  ChosenProducts products;             // by trials
  bool trained_weights = false;
  bool is_foreign = false;                   // a family outside the tree, or a TorchScript file
  std::int64_t loading_passes = 0;           // forward passes made while loading, before any is timed
  std::int64_t calibration_examples = 0;     // whose activations gave int8_static its ranges; 0: none were needed
  std::set<std::int64_t> calibration_keys;   // of those inputs, whose outputs are not compared
  bool calibration_shares_texts = false;     // see case_texts.h
  std::int64_t label_count = 0;              // classes of the model
  std::int64_t sampling_rate = 0;            // of the sounds that the model reads; 0: it reads none
  std::optional<CtcVocabulary> vocabulary;   // of transcripts that are scored
  std::shared_ptr<Parameters> model_memory;  // keeps the mapped weights that the engine's tensors borrow
  Json effective;                            // what was read back so far
  std::optional<ForwardWork> work;
  CycleShape cycle_shape;  // of the cycle that is measured
  Json memory_forecast;    // null: not made yet
  /// With that kernel of attention in place of the request's.
  std::function<std::optional<PassForecast>(const CycleShape& cycle, const std::string& attention)> forecast_memory;
  std::vector<Series> cycle_work;  // its series for the cycle that is measured; none of requests
  std::vector<Series> series;      // load_time, tokenize_time, baseline_rss, peak_rss_load, weight_bytes
};

/// The case's texts; of synthetic ones, which are made once the tokenizer is there, their number. Throws
/// Error(kBadInput).
DataSet read_case_data(const Case& request, const Context& context);

/// Brings texts and labels into the model's form: puts before each text what a model for the task embedding was trained
/// with, which is returned, and gives labels the model's numbers. Throws Error(kBadInput) for labels of other classes.
std::string fit_to_model(DataSet& data, const Case& request, const ModelConfig& config, bool is_trained);

/// Throws Error: kBadInput for files, kUnsupported and kUnsupportedShape for what cannot run, kOutOfMemory.
PreparedCase prepare_case(const Case& request, const Context& context, const WorkerParts& parts);

/// The case's work of each of these batches: what ForwardWork::series says, and seconds of sound.
std::vector<Series> work_of(const PreparedCase& prepared, const std::vector<Batch>& batches);

/// Of the first sample: the process's first pass only where loading made none before it.
std::uint32_t first_sample_flags(const PreparedCase& prepared);

/// `seconds` of the first sample as `first_forward`, or why there is none.
void add_first_forward(const PreparedCase& prepared, double seconds, Warmed& warmed);

/// The kernel that ran while `probe` watched, "own" where a model from outside the tree has none that an engine
/// exchanges.
std::string attention_kernel_of(const PreparedCase& prepared, const KernelProbe& probe);

/// That of the form in which the weights of products lie, else the type of the outputs. Weights in int8 count only
/// where `probe` saw most operations on such weights: what was made and not used ran in nothing.
std::string precision_that_ran(const PreparedCase& prepared, const KernelProbe& probe, const at::Tensor& outputs);

/// Adds `attention_trials` of docs/results.md, where there are any.
void add_attention_trials(const PreparedCase& prepared, Json& effective);

/// Adds the series peak_allocated_forecast and effective.memory_forecast of docs/results.md, or why there is none.
/// The first call makes it, when nothing is timed and the kernels that ran are known.
void add_memory_forecast(PreparedCase& prepared, Measured& measured);

/// Kernels and number formats of a forward pass, by the names of effective settings: as `probe` saw them, or as the
/// library tells that ran it in LibTorch's place.
Json kernels_of_forward(const PreparedCase& prepared, const KernelProbe& probe, const at::Tensor& outputs);

}  // namespace transformeter
