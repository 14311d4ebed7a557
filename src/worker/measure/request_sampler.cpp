// The clock's readings lie in one buffer; the bookkeeping comes after the last.
#include "measure/request_sampler.h"

#include <utility>

#include "base/stopwatch.h"

namespace transformeter {

RequestSampler::RequestSampler(const Clock& clock, RequestWork work, const RequestShape& shape)
    : clock_(clock),
      work_(std::move(work)),
      shape_(shape),
      origin_(clock.now()),
      latency_(value_series("latency", {})),
      first_token_(value_series("time_to_first_token", {})),
      decode_(value_series("decode_step", {})) {
  times_.reserve(static_cast<std::size_t>(shape.new_tokens) + 1);
}

double RequestSampler::do_take(std::size_t index, std::uint32_t flags) {
  times_.clear();
  times_.push_back(clock_.now());
  work_.first_token(index);
  times_.push_back(clock_.now());
  for (std::int64_t token = 1; token < shape_.new_tokens; ++token) {
    work_.next_token();
    times_.push_back(clock_.now());
  }
  work_.end();
  record(static_cast<std::int64_t>(index), flags);
  return latency_.value.back();
}

void RequestSampler::record(std::int64_t prompt, std::uint32_t flags) {
  const auto add = [&](Series& series, Clock::TimePoint from, Clock::TimePoint to, std::int64_t index) {
    series.value.push_back(seconds_between(from, to));
    series.start_s.push_back(seconds_between(origin_, from));
    series.index.push_back(index);
    series.flags.push_back(flags);
  };
  add(latency_, times_.front(), times_.back(), prompt);
  add(first_token_, times_[0], times_[1], prompt);
  for (std::size_t step = 1; step + 1 < times_.size(); ++step) {
    add(decode_, times_[step], times_[step + 1], static_cast<std::int64_t>(step));
  }
  const std::int64_t read = shape_.new_tokens - 1;
  latency_.examples.push_back(1);
  latency_.useful_tokens.push_back(shape_.prompt_length + read);
  latency_.processed_tokens.push_back(shape_.prompt_length + shape_.num_beams * read);
  first_token_.useful_tokens.push_back(shape_.prompt_length);
  first_token_.processed_tokens.push_back(shape_.prompt_length);
}

std::vector<Series> RequestSampler::do_drain() {
  std::vector<Series> series;
  for (Series* one : {&latency_, &first_token_, &decode_}) {
    const std::string name = one->name;
    series.push_back(std::exchange(*one, value_series(name, {})));
  }
  return series;
}

}  // namespace transformeter
