// Takes timed samples of requests to a text-generating model: the first token and each further one within the same
// request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "measure/unit_sampler.h"

namespace transformeter {

/// What a request does. Each token's id is known on the host when its function returns.
struct RequestWork {
  std::function<void(std::size_t prompt)> first_token;  // starts a request with an empty cache
  std::function<void()> next_token;
  std::function<void()> end;  // lets go of what the request held; not timed
};

struct RequestShape {
  std::size_t prompts = 1;         // to take in turn
  std::int64_t prompt_length = 0;  // tokens of each
  std::int64_t new_tokens = 1;     // at least 1
  std::int64_t num_beams = 1;
};

/// The clock is read once between two tokens, so that the time to the first token and the steps after it sum up to the
/// request's latency. Series of a request:
///   latency              one value; index: the prompt; tokens: those that went through the model, which the last new
///                        one does not; of several beams all are processed, and those of one text useful
///   time_to_first_token  one value, beginning where latency does; index: the prompt; tokens: the prompt's
///   decode_step          new_tokens − 1 values; index: the step within the request, from 1
class RequestSampler final : public UnitSampler {
 public:
  /// The clock must outlive the sampler.
  RequestSampler(const Clock& clock, RequestWork work, const RequestShape& shape);

  void set_origin(Clock::TimePoint origin) override { origin_ = origin; }
  std::size_t unit_count() const override { return shape_.prompts; }
  /// Prompts of one length are one shape.
  std::size_t shape_count() const override { return 1; }

 protected:
  double do_take(std::size_t index, std::uint32_t flags) override;
  std::vector<Series> do_drain() override;

 private:
  void record(std::int64_t prompt, std::uint32_t flags);

  const Clock& clock_;
  RequestWork work_;
  RequestShape shape_;
  Clock::TimePoint origin_;
  std::vector<Clock::TimePoint> times_;  // of the present request: its start, then each token
  Series latency_, first_token_, decode_;
};

}  // namespace transformeter
