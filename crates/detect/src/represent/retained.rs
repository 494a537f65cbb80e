//! The retained terms of a document: what an I-Match signature rests on.

use std::sync::Arc;

use lookalike_text::{Document, Token, TokenizedDocument};

use crate::represent::{DocumentTerm, Lexicon};
use crate::{DescribedFeature, FeatureKind, Features, Represent, RetainedTerms};

/// Keeps of a document's distinct terms what a lexicon retains.
#[derive(Clone, Debug)]
pub struct Retain(pub Arc<Lexicon>);

/// The first token of each term that may take part in a signature.
struct RetainedTokens<'a> {
    /// Those the signature rests on, by ascending term.
    signed: Vec<&'a Token>,
    /// Those of the secondary lexicon, the commonest first.
    secondary: Vec<&'a Token>,
    n_distinct: usize,
}

impl Retain {
    fn retained<'a>(&self, tokens: &'a TokenizedDocument) -> RetainedTokens<'a> {
        let mut distinct: Vec<&Token> = tokens.tokens().iter().collect();
        distinct.sort_by_key(|token| (token.hash, token.start));
        distinct.dedup_by_key(|token| token.hash);
        let mut terms: Vec<DocumentTerm> = (0..)
            .zip(&distinct)
            .map(|(number, token)| DocumentTerm { hash: token.hash, frequency: 0, number })
            .collect();
        let kept = self.0.retain(&mut terms, |number| tokens.term(distinct[number as usize]));
        let of = |terms: &[DocumentTerm]| -> Vec<&'a Token> {
            terms.iter().map(|term| distinct[term.number as usize]).collect()
        };
        let mut signed = of(&terms[..kept.n_signed]);
        signed.sort_by_key(|token| tokens.term(token));
        let secondary = of(&terms[kept.n_primary..]);
        RetainedTokens { signed, secondary, n_distinct: distinct.len() }
    }
}

impl Represent for Retain {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Terms
    }

    fn represent(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let RetainedTokens { signed, secondary, n_distinct } = self.retained(tokens);
        let texts =
            |of: Vec<&Token>| of.iter().map(|token| tokens.term(token).to_owned()).collect();
        Features::Terms(RetainedTerms {
            n_distinct,
            terms: texts(signed),
            secondary: texts(secondary),
        })
    }

    fn describe(&self, _: &Document<'_>, tokens: &TokenizedDocument) -> Vec<DescribedFeature> {
        let idf = |hash| self.0.statistics().map_or(1.0, |statistics| statistics.idf(hash));
        let describe = |token: &&Token| DescribedFeature {
            feature: token.hash,
            text: tokens.term(token).to_owned(),
            weight: idf(token.hash),
            place: token.start as usize..token.end as usize,
        };
        self.retained(tokens).signed.iter().map(describe).collect()
    }
}
