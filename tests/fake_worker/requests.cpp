// The columns are those of the worker's own requests.
#include "fake_worker/requests.h"

namespace transformeter {
namespace {

constexpr std::int64_t kPrompts = 8;

void add(Series& series, double value, double start_s, std::int64_t index, std::uint32_t flags) {
  series.value.push_back(value);
  series.start_s.push_back(start_s);
  series.index.push_back(index);
  series.flags.push_back(flags);
}

void add_tokens(Series& series, std::int64_t useful, std::int64_t processed) {
  series.useful_tokens.push_back(useful);
  series.processed_tokens.push_back(processed);
}

}  // namespace

FakeRequests::FakeRequests(const Json& settings, const LatencyShape& step, std::uint64_t seed)
    : prompt_length_(settings.at("prompt_length").get<std::int64_t>()),
      new_tokens_(settings.at("new_tokens").get<std::int64_t>()),
      num_beams_(settings.value("num_beams", std::int64_t{1})),
      steps_(step, seed) {}

std::vector<Series> FakeRequests::empty_block() {
  return {value_series("latency", {}), value_series("time_to_first_token", {}), value_series("decode_step", {})};
}

double FakeRequests::take(double first_s, double start_s, std::uint32_t flags, std::vector<Series>& block) {
  const std::int64_t prompt = count_++ % kPrompts;
  double seconds = first_s;
  for (std::int64_t step = 1; step < new_tokens_; ++step) {
    const double step_s = steps_.next();
    add(block[2], step_s, start_s + seconds, step, flags);
    seconds += step_s;
  }
  add(block[0], seconds, start_s, prompt, flags);
  block[0].examples.push_back(1);
  add_tokens(block[0], prompt_length_ + new_tokens_ - 1, prompt_length_ + num_beams_ * (new_tokens_ - 1));
  add(block[1], first_s, start_s, prompt, flags);
  add_tokens(block[1], prompt_length_, prompt_length_);
  return seconds;
}

double FakeRequests::cache_bytes() const {
  return 1024.0 * static_cast<double>(num_beams_ * (prompt_length_ + new_tokens_));
}

}  // namespace transformeter
