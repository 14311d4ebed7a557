// A graph that a session of ONNX Runtime runs on the CPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <onnxruntime_cxx_api.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "engine/backend.h"
#include "model/graph_scopes.h"
#include "model/library_graph.h"
#include "model/node_counters.h"

namespace transformeter {

class OrtGraph final : public LibraryGraph, private NodeCounters {
 public:
  /// Of a model file, which messages call `name`. `scopes`: of its nodes, where they are counted; then readback()
  /// throws Error(kInternal). Throws Error: kBadInput for one that is no model or cannot run, kEnvironment where no
  /// temporary file can be made, kOutOfMemory.
  OrtGraph(const Ort::Env& environment, const std::filesystem::path& file, const std::string& name,
           const BackendOptions& options, GraphScopes scopes = {});

  const std::vector<std::string>& input_names() const override { return input_names_; }
  c10::ScalarType input_type(std::size_t index) const override;
  std::optional<std::size_t> find_output(const std::string& name) const override;
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& values,
                              const std::vector<std::size_t>& outputs) const override;
  ModelReadback readback() const override;
  NodeCounters* node_counters() override { return counts_nodes_ ? this : nullptr; }

 private:
  void begin() override { first_counted_ = runs_; }
  NodeCounts end() override;

  void read_names();
  void check_shape(std::size_t index, const at::Tensor& value) const;
  void end_profile() const;
  /// The profile's file, which lies in `profile_`.
  std::string close_profile() const;
  /// Its text. Throws Error(kEnvironment).
  std::string profile_of_passes() const;

  std::string precision_;
  int threads_ = 0;
  mutable std::unique_ptr<TemporaryDirectory> profile_;  // null: the profile was read
  mutable Ort::Session session_{nullptr};
  std::vector<std::string> input_names_, output_names_;
  std::vector<std::optional<c10::ScalarType>> input_types_;
  std::vector<std::vector<std::int64_t>> input_shapes_;
  bool counts_nodes_ = false;
  GraphScopes scopes_;
  mutable std::int64_t runs_ = 0;
  std::int64_t first_counted_ = 0;
  mutable ModelReadback readback_;
};

}  // namespace transformeter
