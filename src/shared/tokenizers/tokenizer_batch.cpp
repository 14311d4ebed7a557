// Many texts on several threads: each takes the next handful, and writes to places of its own.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tokenizers/tokenizer.h"

namespace transformeter {
namespace {

constexpr std::size_t kTextsAtOnce = 64;  // few enough that threads end together, many enough to be taken seldom

// The first text that could not be encoded, and why: also exceptions other than Error, e.g. out of memory.
struct Failure {
  std::size_t text = 0;
  std::exception_ptr cause;  // null: none

  void note(std::size_t index, const std::exception_ptr& what) {
    if (!cause || index < text) *this = {index, what};
  }
  void raise() const {
    if (!cause) return;
    try {
      std::rethrow_exception(cause);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("text {}: {}", text, error.what()));
    }
  }
};

// Calls work(0) here and work(1) to work(count - 1) on threads of their own, as far as the system gives any.
void work_on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> helpers;
  helpers.reserve(count - 1);
  try {
    while (helpers.size() + 1 < count) helpers.emplace_back(work, helpers.size() + 1);
  } catch (const std::system_error&) {
    // Those that started, and this one, do it all.
  }
  work(0);
}

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
        } catch (...) {
          failures[worker].note(i, std::current_exception());
        }
      }
    }
  };
  work_on_threads(workers, work);
  Failure first;
  for (const Failure& failure : failures) {
    if (failure.cause) first.note(failure.text, failure.cause);
  }
  first.raise();
  return encodings;
}

}  // namespace transformeter
