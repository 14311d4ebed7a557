// Inputs travel in blocks.
#include "run/predict.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "run/single_case_session.h"

namespace transformeter {
namespace {

// A block travels as one message, whose header holds at most 64 MiB; a character of JSON takes up to 6 bytes.
constexpr std::size_t kLargestBlockBytes = 8U << 20;

std::size_t bytes_of(const PredictionInput& input) {
  return input.text.size() + (input.text_pair ? input.text_pair->size() : 0);
}

// The inputs from `begin` on that go in one message.
std::vector<PredictionInput> block_of(const std::vector<PredictionInput>& inputs, std::size_t begin, std::size_t most) {
  std::vector<PredictionInput> block;
  std::size_t bytes = 0;
  for (std::size_t i = begin; i < inputs.size() && block.size() < most; ++i) {
    bytes += bytes_of(inputs[i]);
    if (bytes > kLargestBlockBytes && !block.empty()) break;
    if (bytes > kLargestBlockBytes) {
      throw Error(ErrorKind::kBadInput, fmt::format("input {} (from 0): the text has {} bytes; at most {} are allowed",
                                                    i, bytes, kLargestBlockBytes));
    }
    block.push_back(inputs[i]);
  }
  return block;
}

void ask(SingleCaseSession& sole, const PredictionOptions& options, const std::vector<PredictionInput>& inputs,
         PredictionSink& sink) {
  const auto batch_size = sole.settings().at("batch_size").get<std::size_t>();
  for (std::size_t begin = 0; begin < inputs.size();) {
    PredictRequest request{block_of(inputs, begin, batch_size), options};
    const std::size_t asked = request.inputs.size();
    const Predicted predicted = sole.answered(sole.session().predict(request));
    const std::size_t expected = predicted.refused ? predicted.refused->index : asked;
    if (predicted.predictions.size() != expected || expected > asked) {
      throw Error(ErrorKind::kProtocol,
                  fmt::format("the worker returned {} answers for {} inputs", predicted.predictions.size(), asked));
    }
    for (std::size_t i = 0; i < expected; ++i) sink.add(begin + i, predicted.predictions[i]);
    if (predicted.refused) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("input {} (from 0): {}", begin + expected, predicted.refused->reason));
    }
    begin += asked;
  }
}

}  // namespace

void predict(const Context& context, const PredictJob& job, const std::vector<PredictionInput>& inputs,
             PredictionSink& sink) {
  SingleCaseSession sole(context, {job.worker, job.settings, job.worker_timeout, job.interrupt});
  sink.begin(sole.prepare());
  ask(sole, job.options, inputs, sink);
  sole.end();
}

}  // namespace transformeter
