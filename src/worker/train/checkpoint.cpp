// The folder gets its name last, when all of it is on the disk.
#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/atomic_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "train/tensor_file.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kTraining = "training.json";
constexpr int kFormat = 1;

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size());
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  const auto step = is_number ? parse_integer(digits) : std::nullopt;
  if (!step) return std::nullopt;
  return *step;
}

// Steps of the folders that are there, latest first.
std::vector<std::pair<std::int64_t, fs::path>> folders_in(const fs::path& parent) {
  std::vector<std::pair<std::int64_t, fs::path>> folders;
  for (const fs::path& entry : entries_of(parent)) {
    if (const auto step = step_of(entry.filename().string())) folders.emplace_back(*step, entry);
  }
  std::sort(folders.begin(), folders.end(), std::greater<>());
  return folders;
}

Json described(const fs::path& file) {
  return {{"size_bytes", fs::file_size(file)}, {"sha256", sha256_file(file)}};
}

// A hash of its own lets a changed digit be seen, too.
std::string own_hash(Json training) {
  training.erase("sha256");
  return sha256_hex(canonical_json(training));
}

Error damaged(const fs::path& file, std::string_view reason) {
  return Error(ErrorKind::kBadInput, fmt::format("{} {}", file.string(), reason));
}

void check_file(const fs::path& file, const Json& expected) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw damaged(file, fmt::format("is not readable: {}", error.message()));
  if (expected.at("size_bytes") != size) {
    throw damaged(file, fmt::format("has {} bytes instead of {}", size, expected.at("size_bytes").dump()));
  }
  if (expected.at("sha256") != sha256_file(file)) throw damaged(file, "has been modified (checksum mismatch)");
}

void tell(const std::function<void()>& alive) {
  if (alive) alive();
}

// Throws Error(kBadInput) for one that is not whole.
TrainingCheckpoint read_checked(const fs::path& folder, std::int64_t step, const std::function<void()>& alive) {
  const fs::path file = folder / kTraining;
  const Json training = parse_json(file.string(), read_file(file));
  try {
    if (training.at("sha256") != own_hash(training)) throw damaged(file, "has been modified (checksum mismatch)");
    if (training.at("format") != kFormat) {
      throw damaged(file,
                    fmt::format("has format {}; this version supports {}", training.at("format").dump(), kFormat));
    }
    if (training.at("step") != step) throw damaged(file, fmt::format("belongs to step {}", training.at("step").dump()));
    for (const char* name : {kWeights, kOptimizer}) {
      check_file(folder / name, training.at("files").at(name));
      tell(alive);
    }
    return {folder, step, training.at("progress")};
  } catch (const Json::exception&) {
    throw damaged(file, "has a missing key or a value of the wrong type");
  }
}

}  // namespace

TrainingCheckpoints::TrainingCheckpoints(const fs::path& output, std::size_t kept)
    : folder_(output / "checkpoints"), kept_(std::max<std::size_t>(1, kept)) {}

void TrainingCheckpoints::settle() const {
  settle_folders(folder_, [](std::string_view name) { return name.starts_with(kPrefix); });
}

TrainingCheckpoint TrainingCheckpoints::write(std::int64_t step, const TrainingState& state, const Json& progress,
                                              const std::function<void()>& alive) const {
  settle();
  const fs::path target = folder_ / fmt::format("{}{:08}", kPrefix, step);
  AtomicFolder folder(target);
  write_tensors(folder.path() / kWeights, state.weights);
  tell(alive);
  write_tensors(folder.path() / kOptimizer, state.optimizer);
  tell(alive);
  Json training = {{"format", kFormat}, {"step", step}, {"progress", progress}};
  for (const char* name : {kWeights, kOptimizer}) {
    training["files"][name] = described(folder.path() / name);
    tell(alive);
  }
  // What cannot be said in JSON, as an infinity, is hashed as it will be read.
  training = Json::parse(canonical_json(training));
  training["sha256"] = own_hash(training);
  write_file_atomically(folder.path() / kTraining, training.dump(1) + "\n");
  folder.commit();
  remove_older_than(step);
  return {target, step, training.at("progress")};
}

void TrainingCheckpoints::remove_older_than(std::int64_t step) const {
  std::size_t count = 0;
  for (const auto& [other, folder] : folders_in(folder_)) {
    if (other <= step && ++count > kept_) remove_folder(folder);
  }
}

FoundCheckpoints TrainingCheckpoints::find(const std::function<void()>& alive) const {
  settle();
  FoundCheckpoints found;
  for (const auto& [step, folder] : folders_in(folder_)) {
    try {
      found.newest = read_checked(folder, step, alive);
      return found;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      found.refused.push_back({folder, error.what()});
    }
  }
  return found;
}

void restore(const TrainingCheckpoint& checkpoint, const TrainingState& state) {
  const TensorFile weights(checkpoint.folder / kWeights, state.weights);
  const TensorFile optimizer(checkpoint.folder / kOptimizer, state.optimizer);
  weights.load();
  optimizer.load();
}

}  // namespace transformeter
