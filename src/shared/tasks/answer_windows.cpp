// Cut twice where one window does not do.
#include "tasks/answer_windows.h"

#include "tokenizers/truncation.h"

namespace transformeter {

std::vector<PairWindow> answer_windows(const Tokenizer& tokenizer, std::string_view question, std::string_view context,
                                       const WindowOptions& options) {
  std::vector<PairWindow> windows = tokenizer.encode_pair_windows(question, context, {options.max_length, 0});
  return windows.size() == 1 ? windows : tokenizer.encode_pair_windows(question, context, options);
}

std::int64_t count_answer_windows(const Tokenizer& tokenizer, std::int64_t question_tokens, std::int64_t context_tokens,
                                  const WindowOptions& options) {
  const std::int64_t room = options.max_length - question_tokens - count_special(tokenizer.traits().arrangement.pair);
  if (room <= 0) return 0;
  if (context_tokens <= room) return 1;
  if (room <= options.stride) return 0;
  return static_cast<std::int64_t>(window_spans(static_cast<std::size_t>(context_tokens),
                                                static_cast<std::size_t>(room),
                                                static_cast<std::size_t>(options.stride))
                                       .size());
}

}  // namespace transformeter
