// https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version": 32 x 32 pixels by rows, all red ones first, then green
// and blue.
#include "datasets/cifar10.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "datasets/classification.h"

namespace transformeter {
namespace {

constexpr std::int64_t kEdge = 32;
constexpr std::size_t kPlane = kEdge * kEdge;
constexpr std::size_t kRecord = 1 + kImageChannels * kPlane;
constexpr int kClasses = 10;

bool is_train_batch(const std::filesystem::path& path) {
  return path.extension() == ".bin" && path.filename().string().starts_with("data_batch_");
}

bool is_test_batch(const std::filesystem::path& path) {
  return path.filename() == "test_batch.bin";
}

struct Cifar10Files {
  std::vector<std::filesystem::path> train;
  std::vector<std::filesystem::path> test;
};

Cifar10Files cifar10_files(const std::filesystem::path& path) {
  Cifar10Files files;
  const auto add = [&](const std::filesystem::path& file) {
    if (!std::filesystem::is_regular_file(file)) return;
    if (is_train_batch(file)) files.train.push_back(file);
    if (is_test_batch(file)) files.test.push_back(file);
  };
  add(path);
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) add(entry.path());
  }
  std::sort(files.train.begin(), files.train.end());
  return files;
}

std::vector<std::filesystem::path> chosen_files(const std::filesystem::path& path, const std::string& split) {
  Cifar10Files files = cifar10_files(path);
  if (!split.empty() && split != "train" && split != "test") throw unknown_value("split", split, {"train", "test"});
  if (split.empty() && !files.train.empty() && !files.test.empty()) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{}' has two splits; choose one with --split train or --split test", path.string()));
  }
  std::vector<std::filesystem::path>& chosen = split == "train" || files.test.empty() ? files.train : files.test;
  if (!split.empty() && (split == "train" ? files.train : files.test).empty()) {
    throw refused_value(
        "split", split,
        fmt::format("'{}' has no {}", path.string(), split == "train" ? "data_batch_*.bin" : "test_batch.bin"),
        "Copy the file there, or choose the other split");
  }
  return std::move(chosen);
}

// The published list ends in an empty line.
std::vector<std::string> cifar10_classes(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "batches.meta.txt";
  if (!std::filesystem::exists(file)) return {};
  std::vector<std::string> names = read_label_list(file.string(), trim(read_file(file)));
  if (names.size() == kClasses) return names;
  throw refused_value("class list", file.string(), fmt::format("it has {} names", names.size()),
                      "CIFAR-10 has 10 classes");
}

}  // namespace

bool is_cifar10(const std::filesystem::path& path) {
  const Cifar10Files files = cifar10_files(path);
  return !files.train.empty() || !files.test.empty();
}

std::vector<Example> parse_cifar10(std::string_view bytes, const std::string& where) {
  if (bytes.empty() || bytes.size() % kRecord != 0) {
    throw refused_value("CIFAR-10 file", where,
                        fmt::format("it has {} bytes, not a multiple of the {} of a record", bytes.size(), kRecord),
                        "Copy or download it again; CIFAR-100 and the versions for Python and MATLAB are not read");
  }
  std::vector<Example> examples;
  examples.reserve(bytes.size() / kRecord);
  for (std::size_t at = 0; at < bytes.size(); at += kRecord) {
    const int label = static_cast<std::uint8_t>(bytes[at]);
    if (label >= kClasses) {
      throw bad_value(fmt::format("{}: class of record {}", where, at / kRecord), std::to_string(label), "0 to 9");
    }
    Image image({kEdge, kEdge});
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      image.pixels[i] = static_cast<std::uint8_t>(bytes[at + 1 + i % kImageChannels * kPlane + i / kImageChannels]);
    }
    examples.push_back({"", std::nullopt, label, std::nullopt, std::make_shared<const Image>(std::move(image))});
  }
  return examples;
}

DataSet read_cifar10(const std::filesystem::path& path, const DataOptions& options) {
  if (!options.labels.empty()) {
    throw Error(ErrorKind::kBadInput, fmt::format("'{}': CIFAR-10 has classes of its own; list none", path.string()));
  }
  DataSet data;
  data.name = "cifar10";
  data.label_count = kClasses;
  data.label_names = cifar10_classes(std::filesystem::is_directory(path) ? path : path.parent_path());
  for (const std::filesystem::path& file : chosen_files(path, options.split)) {
    std::vector<Example> examples = parse_cifar10(read_file(file), file.string());
    std::move(examples.begin(), examples.end(), std::back_inserter(data.examples));
  }
  return data;
}

}  // namespace transformeter
