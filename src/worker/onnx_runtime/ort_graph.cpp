// The first pass runs with ONNX Runtime's profile on, which is what names its kernels and formats. It is read when
// somebody asks what ran, or before the next pass: neither is part of what the first one took. Of a graph whose nodes
// are counted it stays on, for all passes.
#include "onnx_runtime/ort_graph.h"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "model/library_errors.h"
#include "onnx_runtime/node_events.h"
#include "onnx_runtime/read_back.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

struct TypePair {
  c10::ScalarType ours;
  ONNXTensorElementDataType theirs;
};
constexpr std::array kTypes{
    TypePair{c10::ScalarType::Long, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
    TypePair{c10::ScalarType::Int, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    TypePair{c10::ScalarType::Bool, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},
    TypePair{c10::ScalarType::Float, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    TypePair{c10::ScalarType::Double, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE},
    TypePair{c10::ScalarType::Half, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    TypePair{c10::ScalarType::BFloat16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16},
};

ONNXTensorElementDataType element_of(c10::ScalarType type) {
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& one) { return one.ours == type; });
  if (found == kTypes.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("no input of a graph is in {}", c10::toString(type)));
  }
  return found->theirs;
}

std::optional<c10::ScalarType> scalar_of(ONNXTensorElementDataType type) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& one) { return one.theirs == type; });
  if (found == kTypes.end()) return std::nullopt;
  return found->ours;
}

const Ort::MemoryInfo& memory_of_cpu() {
  static const auto kInfo = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return kInfo;
}

Ort::Value view_of(const at::Tensor& tensor) {
  return Ort::Value::CreateTensor(memory_of_cpu(), tensor.mutable_data_ptr(), tensor.nbytes(), tensor.sizes().data(),
                                  tensor.sizes().size(), element_of(tensor.scalar_type()));
}

// Of the value's memory, which lives as long as any tensor that shares it.
at::Tensor shared_tensor(Ort::Value value) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  const auto type = scalar_of(info.GetElementType());
  if (!type || !c10::isFloatingType(*type)) {
    throw Error(ErrorKind::kUnsupported, "the model's output is not in floating point");
  }
  void* const data = value.GetTensorMutableRawData();
  auto owner = std::make_shared<Ort::Value>(std::move(value));
  return at::from_blob(
             data, info.GetShape(), [owner](void*) {}, at::TensorOptions(*type))
      .to(at::kFloat);
}

std::set<std::string> threads_of_process() {
  std::set<std::string> ids;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) ids.insert(task.path().filename().string());
  return ids;
}

// Of all threads but the calling one, which was pinned when the process started. ONNX Runtime counts processors from 1.
std::string affinities(const std::vector<int>& processors) {
  std::vector<int> counted;
  for (std::size_t i = 1; i < processors.size(); ++i) counted.push_back(processors[i] + 1);
  return fmt::format("{}", fmt::join(counted, ";"));
}

Ort::SessionOptions options_of(const BackendOptions& asked, const TemporaryDirectory& profile) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(asked.threads);
  options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  // Between passes its threads wait as others' do, so that they take nothing from whoever is measured then.
  options.AddConfigEntry("session.force_spinning_stop", "1");
  if (asked.processors.size() > 1) {
    options.AddConfigEntry("session.intra_op_thread_affinities", affinities(asked.processors).c_str());
  }
  options.EnableProfiling((profile.path() / "profile").c_str());
  return options;
}

// As one of ours; `before` stands before its words, of which places in its sources, such as
// "/onnxruntime_src/core/math.h:540", are left out.
Error error_of(const Ort::Exception& error, const std::string& before) {
  std::string text = error.what();
  if (tells_of_memory(text)) return {ErrorKind::kOutOfMemory, "ONNX Runtime: out of memory, or of threads"};
  constexpr std::string_view kSources = "/onnxruntime_src/";
  for (std::size_t place = text.find(kSources); place != std::string::npos; place = text.find(kSources)) {
    const std::size_t end = text.find(' ', place);
    text.erase(place, end == std::string::npos ? end : end + 1 - place);
  }
  text.resize(std::min(text.find('\n'), text.size()));
  return {ErrorKind::kBadInput, before + "ONNX Runtime: " + text};
}

}  // namespace

OrtGraph::OrtGraph(const Ort::Env& environment, const fs::path& file, const std::string& name,
                   const BackendOptions& options, GraphScopes scopes)
    : precision_(options.precision),
      profile_(std::make_unique<TemporaryDirectory>()),
      counts_nodes_(options.counts_nodes),
      scopes_(std::move(scopes)) {
  const std::set<std::string> before = threads_of_process();
  try {
    session_ = Ort::Session(environment, file.c_str(), options_of(options, *profile_));
    read_names();
  } catch (const Ort::Exception& error) {
    const bool is_no_model = error.GetOrtErrorCode() == ORT_INVALID_PROTOBUF || error.GetOrtErrorCode() == ORT_NO_MODEL;
    if (is_no_model) {
      throw Error(ErrorKind::kBadInput, name + " is no model that ONNX Runtime can read");
    }
    throw error_of(error, name + " cannot be read: ");
  }
  const std::set<std::string> after = threads_of_process();
  threads_ = 1 + static_cast<int>(std::count_if(after.begin(), after.end(),  // 1: the one that calls
                                                [&](const std::string& id) { return !before.contains(id); }));
}

void OrtGraph::read_names() {
  const Ort::AllocatorWithDefaultOptions allocator;
  for (std::size_t i = 0; i < session_.GetInputCount(); ++i) {
    input_names_.emplace_back(session_.GetInputNameAllocated(i, allocator).get());
    const Ort::TypeInfo info = session_.GetInputTypeInfo(i);  // what it gives is a part of it
    const bool is_tensor = info.GetONNXType() == ONNX_TYPE_TENSOR;
    input_types_.push_back(is_tensor ? scalar_of(info.GetTensorTypeAndShapeInfo().GetElementType()) : std::nullopt);
    input_shapes_.push_back(is_tensor ? info.GetTensorTypeAndShapeInfo().GetShape() : std::vector<std::int64_t>());
  }
  for (std::size_t i = 0; i < session_.GetOutputCount(); ++i) {
    output_names_.emplace_back(session_.GetOutputNameAllocated(i, allocator).get());
  }
}

c10::ScalarType OrtGraph::input_type(std::size_t index) const {
  if (input_types_[index]) return *input_types_[index];
  throw Error(ErrorKind::kUnsupported,
              fmt::format("input '{}' is of a type that is not supported", input_names_[index]));
}

std::optional<std::size_t> OrtGraph::find_output(const std::string& name) const {
  const auto found = std::find(output_names_.begin(), output_names_.end(), name);
  if (found == output_names_.end()) return std::nullopt;
  return found - output_names_.begin();
}

std::vector<at::Tensor> OrtGraph::run(const std::vector<at::Tensor>& values,
                                      const std::vector<std::size_t>& outputs) const {
  if (runs_ > 0 && !counts_nodes_) end_profile();
  for (std::size_t i = 0; i < values.size(); ++i) check_shape(i, values[i]);
  std::vector<const char*> input_names;
  std::vector<const char*> output_names;
  for (const std::string& name : input_names_) input_names.push_back(name.c_str());
  for (const std::size_t index : outputs) output_names.push_back(output_names_[index].c_str());
  std::vector<at::Tensor> results;
  try {
    std::vector<Ort::Value> inputs;
    for (const at::Tensor& value : values) inputs.push_back(view_of(value));
    auto found = session_.Run(Ort::RunOptions(nullptr), input_names.data(), inputs.data(), inputs.size(),
                              output_names.data(), output_names.size());
    ++runs_;
    for (Ort::Value& value : found) results.push_back(shared_tensor(std::move(value)));
  } catch (const Ort::Exception& error) {
    throw error_of(error, "");
  }
  return results;
}

// Of a shape that is not declared nothing is known.
void OrtGraph::check_shape(std::size_t index, const at::Tensor& value) const {
  const std::vector<std::int64_t>& takes = input_shapes_[index];
  const auto fits = [](std::int64_t size, std::int64_t here) { return size < 0 || size == here; };
  if (takes.empty() || std::equal(takes.begin(), takes.end(), value.sizes().begin(), value.sizes().end(), fits)) return;
  throw other_shape(input_names_[index], fmt::format("[{}]", fmt::join(takes, ",")), value);
}

ModelReadback OrtGraph::readback() const {
  if (counts_nodes_) {
    throw Error(ErrorKind::kInternal, "ONNX Runtime's profile is of nodes that count: what ran is not read back");
  }
  end_profile();
  return readback_;
}

std::string OrtGraph::close_profile() const {
  const Ort::AllocatorWithDefaultOptions allocator;
  return session_.EndProfilingAllocated(allocator).get();
}

std::string OrtGraph::profile_of_passes() const {
  try {
    return read_file(close_profile());
  } catch (const Error& error) {
    throw unreadable_profile(error.what());
  } catch (const Ort::Exception& error) {
    throw unreadable_profile(error_of(error, "").what());
  }
}

NodeCounts OrtGraph::end() {
  NodeCounts counts = counted_nodes(profile_of_passes(), first_counted_, runs_ - first_counted_, scopes_);
  counts.library = library_name();
  profile_.reset();
  return counts;
}

void OrtGraph::end_profile() const {
  if (profile_ == nullptr) return;
  readback_ = read_profile(close_profile(), precision_);
  readback_.threads = threads_;
  profile_.reset();
}

}  // namespace transformeter
