// Many texts on several threads: each takes the next handful, and writes to places of its own.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "base/error.h"
#include "text/tokenizer.h"

namespace transformeter {
namespace {

constexpr std::size_t kTextsAtOnce = 64;  // few enough that threads end together, many enough to be taken seldom

struct Failure {
  std::size_t text = 0;
  std::optional<Error> error;  // nothing: none

  void note(std::size_t index, const Error& what) {
    if (!error || index < text) *this = {index, what};
  }
};

}  // namespace

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::string> texts, const EncodeOptions& options,
                                              int threads) const {
  if (threads < 1) throw bad_value("threads", std::to_string(threads), "at least 1");
  std::vector<Encoding> encodings(texts.size());
  const std::size_t handfuls = (texts.size() + kTextsAtOnce - 1) / kTextsAtOnce;
  const std::size_t workers = std::max<std::size_t>(1, std::min(static_cast<std::size_t>(threads), handfuls));
  std::vector<Failure> failures(workers);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t worker) {
    for (std::size_t begin = next.fetch_add(kTextsAtOnce); begin < texts.size(); begin = next.fetch_add(kTextsAtOnce)) {
      for (std::size_t i = begin; i < std::min(begin + kTextsAtOnce, texts.size()); ++i) {
        try {
          encodings[i] = encode(texts[i], options);
        } catch (const Error& error) {
          failures[worker].note(i, error);
        }
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t worker = 1; worker < workers; ++worker) helpers.emplace_back(work, worker);
  work(0);
  for (std::thread& helper : helpers) helper.join();
  Failure first;
  for (const Failure& failure : failures) {
    if (failure.error) first.note(failure.text, *failure.error);
  }
  if (first.error) throw Error(first.error->kind(), fmt::format("text {}: {}", first.text, first.error->what()));
  return encodings;
}

}  // namespace transformeter
