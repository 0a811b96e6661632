"""The releases of Volcano that are modelled, and what each decides differently: see `vqs.releases.profile`."""
