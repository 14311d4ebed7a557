// The counters of a compiled graph's one request.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <string>
#include <vector>

#include "model/graph_scopes.h"
#include "model/node_counters.h"
#include "model/node_work.h"
#include "open_vino/executed_nodes.h"

namespace transformeter {

class RequestCounters final : public NodeCounters {
 public:
  /// Of a graph that was compiled with counters. `scopes`: of its nodes as they were drawn.
  RequestCounters(ov::CompiledModel compiled, ov::InferRequest request, GraphScopes scopes);

  void begin() override;
  NodeCounts end() override;
  /// After each pass. Before `begin`, reads what nodes do for values of these sizes, which takes time. Throws
  /// Error(kEnvironment) where they cannot be read.
  void note_pass(const std::vector<at::Tensor>& values, double seconds);

 private:
  using Sizes = std::vector<std::vector<std::int64_t>>;

  /// Both throw Error(kEnvironment).
  PassTimers read() const;
  std::vector<ExecutedNode> executed() const;
  /// Over the passes that count; none where one was of sizes that had not been warmed up.
  std::map<std::string, NodeWork> work() const;

  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  GraphScopes scopes_;
  std::int64_t passes_ = 0;
  bool counts_ = false;
  PassTimers before_;
  std::map<Sizes, std::map<std::string, NodeWork>> work_of_sizes_;  // of one pass, by name
  std::map<Sizes, std::int64_t> passes_of_sizes_;                   // that count
  double call_s_ = 0;
};

}  // namespace transformeter
