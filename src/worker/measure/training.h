// A model with its data, ready to train, the starting point of both measuring a training and fine-tuning.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/feature_extractor.h"
#include "base/context.h"
#include "device/device.h"
#include "images/image_processor.h"
#include "measure/parts.h"
#include "measure/settled_products.h"
#include "measure/worker_case.h"
#include "model/model.h"
#include "model/operators.h"
#include "schema/series.h"
#include "spec/lora.h"
#include "spec/model_config.h"
#include "tasks/batch_loader.h"
#include "tasks/training_rows.h"
#include "tokenizers/ctc_vocabulary.h"
#include "tokenizers/tokenizer.h"
#include "train/micro_batch.h"
#include "train/trained_weights.h"
#include "train/trainer.h"

namespace transformeter {

struct Training {
  Case request;
  std::unique_ptr<Device> device;
  ModelConfig config;
  bool is_trained = false;                           // weights from a checkpoint, not seeded
  std::vector<std::string> new_weights;              // which the checkpoint has not, so that they are seeded
  std::unique_ptr<Tokenizer> tokenizer;              // null: it reads images alone, or sounds
  std::optional<ImageProcessor> processor;           // of images
  std::optional<FeatureExtractorOptions> extractor;  // of sounds
  std::optional<CtcVocabulary> ctc_vocabulary;       // of transcripts of files
  /// The bundled one, by which a preset without a tokenizer of its own cuts texts.
  std::optional<std::filesystem::path> vocabulary;
  LabelledRows rows;
  std::optional<LoraPlan> lora;  // nothing: all weights are trainable
  TrainedWeights weights;
  std::unique_ptr<Model> model;
  std::unique_ptr<Operators> operators;
  ChosenProducts products;
  /// load_time, tokenize_time, baseline_rss, peak_rss_load, weight_bytes, trainable_parameters
  std::vector<Series> series;

  /// Whether rows are files, or drawn in their place, which are decoded when their batch comes.
  bool reads_files() const { return processor || extractor; }
};

/// What reads the data set once device, configuration and tokenizer are there.
using ReadRows = std::function<LabelledRows(const Training&)>;

/// Reads the data set, whose classes a preset's head takes on, and so does a checkpoint's that has none or another
/// number of them. Throws Error: kBadInput for files, kUnsupported for what cannot run, kOutOfMemory.
Training load_training(const Case& request, const Context& context, const WorkerParts& parts,
                       const ReadRows& read_rows);

/// In fp32 the weights that first losses are compared with: those that training began with, read again; of a preset
/// those that other scenarios draw, since with a configuration's initializer_range all texts have nearly the same
/// answer.
Parameters compared_weights(const Training& training, const WorkerParts& parts);

/// All rows of the case's data set.
LabelledRows read_rows(const Training& training, const Context& context);

/// The file of the case's data set, which is not synthetic.
std::string data_path(const Case& request, const Context& context);
TrainingRowsOptions training_rows_options(const Training& training);

/// Whether trials choose, while the training is loaded, what its products of 16 bits compute in.
bool tries_narrow_products(const Case& request);

/// The type that weights are kept in, and the one that autocast gives products in, if it is on.
c10::ScalarType weight_type(const std::string& precision);
std::optional<c10::ScalarType> product_type(const std::string& precision);
/// As the case asks, at a constant learning rate.
TrainerOptions trainer_options(const Case& request);
LoaderOptions loader_options(const Training& training);
MicroBatchOptions micro_batch_options(const Training& training);

/// What was read back of model, runtime and limits.
Json effective_settings(const Training& training);

}  // namespace transformeter
