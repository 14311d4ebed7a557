// Names of tensors are the inventory's, which are the original's.
#include "train/model_folder.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "audio/feature_extractor.h"
#include "base/atomic_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json_file.h"
#include "images/image_processor_options.h"
#include "spec/checkpoint.h"
#include "spec/saved_config.h"
#include "tasks/image_inputs.h"
#include "tasks/sound_inputs.h"
#include "tokenizers/tokenizer_files.h"
#include "tokenizers/vocab_txt.h"
#include "train/tensor_file.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

bool is_of_tokenizer(const fs::path& file) {
  return file.extension() == ".model" || is_tokenizer_file(file.filename().string());
}

void copy_into(const fs::path& from, const fs::path& folder) {
  write_file_atomically(folder / from.filename(), read_file(from));
}

// What images or sounds go through before the model.
bool is_of_processor(const fs::path& file, Task task) {
  if (reads_images(task)) return file.filename() == kImageProcessorFile;
  return reads_audio(task) && (file.filename() == kFeatureExtractorFile || file.filename() == kProcessorFile);
}

// Of a model that makes texts also how it does: the tokens that begin and end them; of one that reads images or sounds,
// what these go through.
void copy_files_of(const fs::path& checkpoint, Task task, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(checkpoint, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown)) continue;
    const bool is_generation = generates_text(task) && file.filename() == "generation_config.json";
    if (is_generation || is_of_processor(file, task) || is_of_tokenizer(file)) copy_into(file, folder);
  }
  if (error) {
    throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': {}", checkpoint.string(), error.message()));
  }
}

// A vocabulary alone is taken for WordPiece here, whatever the family: Transformers must be told so, and whether texts
// are lower-cased. MPNet's own has other names of special tokens than the bundled one, and is lower-cased by default.
void name_tokenizer(const fs::path& folder, const ModelConfig& config, bool is_bundled) {
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  const bool says_which =
      has("tokenizer.json") || has("tokenizer_config.json") || has("vocab.json") || has("encoder.json");
  if (says_which || !has("vocab.txt")) return;
  const bool is_mpnet = config.family() == "mpnet" && !is_bundled;
  write_json_file(folder / "tokenizer_config.json",
                  {{"tokenizer_class", is_mpnet ? "MPNetTokenizer" : "BertTokenizer"},
                   {"do_lower_case", is_mpnet || !is_cased_vocabulary(folder / "vocab.txt")},
                   {"model_max_length", config.max_length}});
}

std::string_view type_of(const std::vector<NamedTensor>& weights) {
  switch (weights.empty() ? at::kFloat : weights.front().value.scalar_type()) {
    case at::kBFloat16:
      return "bfloat16";
    case at::kHalf:
      return "float16";
    default:
      return "float32";
  }
}

void read_back(const fs::path& folder, const TrainedModel& model) {
  Architectures architectures;
  architectures.add(*model.config.architecture);
  const Checkpoint checkpoint = open_checkpoint(folder, architectures);
  check_task(checkpoint, model.task);
  match_checkpoint(checkpoint, model.task);
  const bool has_processor = fs::exists(folder / kImageProcessorFile);
  const bool has_extractor = fs::exists(folder / kFeatureExtractorFile) || fs::exists(folder / kProcessorFile);
  if (reads_images(model.task) && has_processor) model_image_processor(folder.string(), checkpoint.config, true);
  if (reads_audio(model.task) && has_extractor) model_feature_extractor(folder.string(), checkpoint.config, true);
}

}  // namespace

void write_model_folder(const fs::path& folder, const TrainedModel& model) {
  const bool is_preset = model.checkpoint.empty();
  AtomicFolder written(folder);
  write_tensors(written.path() / "model.safetensors", model.weights, model.written);
  write_json_file(written.path() / "config.json",
                  saved_config(is_preset ? with_defaults(model.config, model.task) : model.config, model.task,
                               type_of(model.weights)));
  if (!is_preset) copy_files_of(model.checkpoint, model.task, written.path());
  if (is_preset && model.config.image) {
    write_json_file(written.path() / kImageProcessorFile,
                    vit_processor_json(usual_image_processor(*model.config.image)));
  }
  if (is_preset && model.config.waves) {
    write_json_file(written.path() / kFeatureExtractorFile,
                    feature_extractor_json(model_feature_extractor("", model.config, false)));
  }
  if (model.vocabulary) write_file_atomically(written.path() / "vocab.txt", read_file(*model.vocabulary));
  name_tokenizer(written.path(), model.config, model.vocabulary.has_value());
  read_back(written.path(), model);
  written.commit();
}

}  // namespace transformeter
