// Exact match and F1 of answers by the rules of the official SQuAD scripts, evaluate-v1.1 and evaluate-v2.0 (Rajpurkar
// et al. 2016, arXiv:1606.05250; 2018, arXiv:1806.03822).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/squad.h"
#include "tasks/score.h"

namespace transformeter {

/// Lower case, without ASCII punctuation, without the words a, an and the, white space as single blanks.
std::string normalize_answer(std::string_view text);

enum class SquadRules { kV1, kV2 };

struct AnswerScore {
  bool exact = false;
  double f1 = 0;
};

/// The best over `answers` of exact match and, on its own, of F1 over the bags of words. v2.0: no answer (after
/// normalisation) is the answer "", and equals an empty prediction; v1.1 gives F1 0 where either side has no words.
AnswerScore score_answer(std::string_view predicted, const std::vector<Answer>& answers, SquadRules rules);

/// Over all questions; v2.0 rules where the set has questions without answers, and then also of the questions with and
/// without answers apart. Predictions are id → text. A question without one counts 0 in v1.1 and is left out in v2.0,
/// as in the official scripts; predictions that belong to no question are left out; the notes count both. Intervals
/// come from a bootstrap over the set's groups: the questions of an article are alike in difficulty. Throws
/// Error(kBadInput) where no question has a prediction.
ScoreReport score_question_answering(const QuestionSet& set, const std::map<std::string, std::string>& predictions,
                                     const StopCheck& check = {});

}  // namespace transformeter
