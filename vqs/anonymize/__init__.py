"""A cluster under other names: what can tell whose it is goes, what decides stays, and a key leads back.

Names are taken apart into words, and each word has one fake word, wherever it stands. The fakes sort as the originals
do, and what stands between words stays. So whatever compares names, puts them together or looks for one in another does
the same with the fakes: the pods of a Job are still called after it, and ties are broken as before.

Only what is known to be public is written as it is, see `vqs.anonymize.vocabulary`. Everything else is renamed, or left
out if nothing decides by it.
"""
