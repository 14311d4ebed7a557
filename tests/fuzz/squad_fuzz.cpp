// SQuAD's JSON forms, and scoring what was read.
#include "base/text.h"
#include "fuzz_support.h"
#include "tasks/squad_score.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = bytes_of(data, size);
  if (first_invalid_utf8(text)) return 0;  // refused before the parser, by DataFile
  expect_read_or_error([&] {
    const QuestionSet set = read_squad("input", text);
    require(!set.questions.empty(), "a set without questions");
    for (const Question& question : set.questions) {
      require(question.context < set.contexts.size(), "a question without a context");
      if (question.answers.empty()) continue;
      const AnswerScore own = score_answer(question.answers[0].text, question.answers, SquadRules::kV1);
      require(own.exact && own.f1 >= 0 && own.f1 <= 1, "an answer that does not match itself");
    }
  });
  return 0;
}
