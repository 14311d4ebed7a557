// Records the head of attention pooling.
#include <utility>

#include "spec/pass_recorder.h"

namespace transformeter {

void PassRecorder::add_probe(const ProbeSpec& spec) {
  const double queries = rows_ * width_ * weight_;
  add(0, 2 * queries);  // the query of each row
  learn(spec.query, width_);
  add_probe_attention(spec);
  add_norm(spec.norm, rows_, rows_ * width_, product_);
  add_feed_forward(spec.feed_forward, rows_);
}

// Nothing is dropped or hidden. Keys and values are halves of one tensor, whose gradient is joined of both.
void PassRecorder::add_probe_attention(const ProbeSpec& probe) {
  const AttentionSpec& spec = probe.attention;
  const bool tokens_have_gradients = std::exchange(has_gradients_, learns(probe.query));
  add_linear(spec.inputs[0], rows_);
  const bool has_query_gradients = gives_gradient(spec.inputs[0]);
  has_gradients_ = tokens_have_gradients;
  add_linear(spec.inputs[1], tokens_);
  const bool has_key_gradients = gives_gradient(spec.inputs[1]);
  has_gradients_ = has_gradients_ || has_query_gradients;
  const double query = rows_ * width_ * product_, keys = 2 * tokens_ * width_ * product_;
  add(0, 2 * keys);
  if (keeps_shares(spec)) {
    add_composed_attention(spec, {rows_, tokens_, pairs(true)},
                           {has_query_gradients, has_key_gradients, has_key_gradients});
  } else {
    const double kept_result = is_own_kernel(spec) || reads_again(spec.output) ? 0 : query;
    add(query + keys + rows_ * static_cast<double>(spec.heads) * kWide + kept_result, query + keys + 2 * query);
  }
  add_linear(spec.output, rows_);
}

}  // namespace transformeter
