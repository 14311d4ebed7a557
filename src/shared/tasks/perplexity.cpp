// Sums of log probabilities.
#include "tasks/perplexity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

constexpr std::size_t kBlockTokens = 128;

struct Block {
  double sum = 0;
  std::size_t tokens = 0;
};

std::vector<Block> blocks_of(const std::vector<std::vector<double>>& texts) {
  std::vector<Block> blocks;
  for (const std::vector<double>& text : texts) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % kBlockTokens == 0) blocks.emplace_back();
      blocks.back().sum += text[i];
      ++blocks.back().tokens;
    }
  }
  return blocks;
}

// From Σ log probabilities and the count of tokens it is made of to a score.
using Formula = std::function<double(double sum, double tokens)>;

Score block_score(const std::string& name, const std::vector<Block>& blocks, const Formula& formula,
                  const StopCheck& check) {
  const auto value_of = [&](std::span<const std::size_t> chosen) -> std::optional<double> {
    double sum = 0;
    double tokens = 0;
    for (const std::size_t i : chosen) {
      sum += blocks[i].sum;
      tokens += static_cast<double>(blocks[i].tokens);
    }
    return formula(sum, tokens);
  };
  std::vector<std::size_t> all(blocks.size());
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
    tokens += blocks[i].tokens;
  }
  Score score;
  score.name = name;
  score.estimate = {*value_of(all), {}, tokens};
  score.counts = "tokens";
  add_bootstrap_interval(score, blocks.size(), "blocks of 128 tokens", value_of, check);
  return score;
}

}  // namespace

std::vector<TextWindow> sliding_windows(std::size_t token_count, std::size_t length, std::size_t stride) {
  if (length < 2) throw bad_value("window length", std::to_string(length), "at least 2 tokens");
  if (stride < 1 || stride > length) {
    throw bad_value("stride", std::to_string(stride), fmt::format("a stride from 1 to the window length, {}", length));
  }
  std::vector<TextWindow> windows;
  std::size_t scored_end = 0;
  for (std::size_t begin = 0; token_count >= 2 && scored_end < token_count; begin += stride) {
    const std::size_t end = std::min(begin + length, token_count);
    // The first token of a window has nothing before it to be predicted from.
    const std::size_t scored = std::max(scored_end, begin + 1);
    if (scored < end) windows.push_back({begin, end, scored});
    scored_end = end;
  }
  return windows;
}

ScoreReport score_perplexity(const std::vector<std::vector<double>>& log_probabilities, const TextSize* size,
                             const StopCheck& check) {
  const std::vector<Block> blocks = blocks_of(log_probabilities);
  if (blocks.empty()) throw Error(ErrorKind::kBadInput, "there are no log probabilities, so nothing to score");
  std::size_t token_count = 0;
  for (const Block& block : blocks) token_count += block.tokens;
  const auto tokens = static_cast<double>(token_count);
  ScoreReport report{Task::kCausalLm, "exp of the mean negative log probability", {}, {}};
  report.scores.push_back(block_score(
      "perplexity", blocks, [](double sum, double n) { return std::exp(-sum / n); }, check));
  if (!std::isfinite(report.scores.front().estimate.value)) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("the perplexity of these {} log probabilities overflows: their mean is below {:.0f}",
                            token_count, -std::log(std::numeric_limits<double>::max())));
  }
  if (size == nullptr) return report;
  // A resample has other tokens than the text: its words and bytes are taken in proportion.
  const double words = static_cast<double>(size->words) / tokens;
  const double bytes = static_cast<double>(size->bytes) / tokens;
  const auto add = [&](Score score) {
    if (std::isfinite(score.estimate.value)) {
      report.scores.push_back(std::move(score));
    } else {
      report.notes.push_back(score.name + " is omitted: it overflows");
    }
  };
  if (words > 0) {
    add(block_score(
        "word_perplexity", blocks, [words](double sum, double n) { return std::exp(-sum / (n * words)); }, check));
  }
  add(block_score(
      "bits_per_byte", blocks, [bytes](double sum, double n) { return -sum / (n * bytes * std::log(2.0)); }, check));
  report.notes.push_back(
      fmt::format("{} tokens for {} bytes of text: {:.2f} bytes per token", token_count, size->bytes, bytes));
  return report;
}

}  // namespace transformeter
